//! Rust's operator traits, for structures of registers: `#[registers] impl Add for Complex { .. }`.
//!
//! The function of the trait becomes a method of the structure, which is staged like the others. The trait calls it on every
//! backend, and so do trees of operators, which have a trait of their own. A number on the right may be one of the host, too.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::{VisitMut, visit_type_mut};
use syn::{FnArg, GenericArgument, Ident, ImplItem, ImplItemFn, ItemImpl, Path, PathArguments, Type};

use crate::body::is_number_type;
use crate::messages::{self, Errors};
use crate::model::{Owner, add_argument, ends};

/// A trait, its function, and the operator of the language in trees.
type Operator = (&'static str, &'static str, Option<&'static str>);

const OPERATORS: [Operator; 22] = [
    ("Add", "add", Some("Add")),
    ("Sub", "sub", Some("Sub")),
    ("Mul", "mul", Some("Mul")),
    ("Div", "div", Some("Div")),
    ("Rem", "rem", Some("Rem")),
    ("BitAnd", "bitand", Some("And")),
    ("BitOr", "bitor", Some("Or")),
    ("BitXor", "bitxor", Some("Xor")),
    ("Shl", "shl", Some("Shl")),
    ("Shr", "shr", Some("Shr")),
    ("AddAssign", "add_assign", Some("Add")),
    ("SubAssign", "sub_assign", Some("Sub")),
    ("MulAssign", "mul_assign", Some("Mul")),
    ("DivAssign", "div_assign", Some("Div")),
    ("RemAssign", "rem_assign", Some("Rem")),
    ("BitAndAssign", "bitand_assign", Some("And")),
    ("BitOrAssign", "bitor_assign", Some("Or")),
    ("BitXorAssign", "bitxor_assign", Some("Xor")),
    ("ShlAssign", "shl_assign", Some("Shl")),
    ("ShrAssign", "shr_assign", Some("Shr")),
    ("Neg", "neg", None),
    ("Not", "not", None),
];

/// An operator of a structure.
pub(crate) struct OperatorTrait {
    /// As the block names it, without arguments.
    path: Path,
    operator: Operator,
    /// The right operand, if there is one, as written.
    right: Option<Type>,
    /// The result, as written; a compound assignment has none.
    output: Option<Type>,
    /// The method that computes it.
    method: Ident,
}

impl OperatorTrait {
    /// Whether the last name of a path is that of an operator trait.
    pub(crate) fn is_named_by(path: &Path) -> bool {
        operator(path).is_some()
    }

    /// Takes the trait from the block, whose only item is then the method.
    pub(crate) fn take(item: &mut ItemImpl, errors: &mut Errors) -> Option<Self> {
        let (path, _) = item.trait_.take()?;
        let operator = operator(&path)?;
        let (_, function, binary) = operator;
        let (mut output, mut method) = (None, None);
        for inside in std::mem::take(&mut item.items) {
            match inside {
                ImplItem::Type(ty) if ty.ident == "Output" => output = Some(ty.ty),
                ImplItem::Fn(inside) if inside.sig.ident == function => method = Some(inside),
                other => errors.add(ends(&other).0, messages::OPERATOR_ITEMS),
            }
        }
        let mut path = path;
        let arguments = path.segments.last_mut().map(|last| std::mem::take(&mut last.arguments));
        let right = match (binary, arguments) {
            (None, _) => None,
            (Some(_), Some(PathArguments::AngleBracketed(of))) => match of.args.first() {
                Some(GenericArgument::Type(ty)) => Some(ty.clone()),
                _ => None,
            },
            _ => Some((*item.self_ty).clone()),
        };
        if let Some(Type::Reference(reference)) = &right {
            errors.add(reference.and_token.span, messages::OPERATOR_REFERENCE);
        }
        let Some(mut function) = method else {
            errors.add(ends(&path).0, messages::OPERATOR_ITEMS);
            return None;
        };
        // The names of the traits' methods stay free for those of the structure, and each right operand has its own.
        let name: String =
            right.to_token_stream().to_string().chars().filter(char::is_ascii_alphanumeric).collect();
        let method = Ident::new(&format!("__{}_{name}", function.sig.ident), function.sig.ident.span());
        own_result(&mut function, output.as_ref());
        function.sig.ident = method.clone();
        function.attrs.push(syn::parse_quote!(#[doc(hidden)]));
        function.attrs.push(syn::parse_quote!(#[allow(non_snake_case)]));
        item.items.push(ImplItem::Fn(function));
        Some(Self { path, operator, right, output, method })
    }

    /// The trait on every backend. `generics` are those of the structure, with the backend.
    pub(crate) fn implement(
        &self,
        owner: &Owner,
        generics: &syn::Generics,
        ty: &Type,
        krate: &TokenStream,
    ) -> TokenStream {
        let backend = &owner.backend;
        let staged = |of: &Type| {
            let mut of = of.clone();
            Structure(&owner.ty).visit_type_mut(&mut of);
            quote!(<#of as #krate::__private::Staged<#backend>>::Ty)
        };
        let (on_backend, _, clause) = generics.split_for_impl();
        let (path, method, function) =
            (&self.path, &self.method, Ident::new(self.operator.1, self.method.span()));
        let output = self.output.as_ref().map(&staged);
        let Some(right) = &self.right else {
            return quote! {
                impl #on_backend #path for #ty #clause {
                    type Output = #output;
                    #[inline(always)]
                    #[track_caller]
                    fn #function(self) -> Self::Output {
                        self.#method()
                    }
                }
            };
        };
        // Without projections, of which rustc would not know that they differ.
        let rights = match right {
            number if is_number_type(number) => {
                vec![quote!(#krate::__private::Scalar<#number, #backend>), number.to_token_stream()]
            }
            Type::Path(path) if path.path.is_ident("Self") => vec![ty.to_token_stream()],
            Type::Path(path)
                if !["bool", "usize", "isize", "Plane"].iter().any(|name| path.path.is_ident(name)) =>
            {
                let mut right = right.clone();
                add_argument(&mut right, backend);
                vec![right.into_token_stream()]
            }
            other => vec![staged(other)],
        };
        let operator = self.operator.2.map(|name| Ident::new(name, self.method.span()));
        let of_trees = {
            let mut generics = generics.clone();
            generics.params.insert(0, syn::parse_quote!('cm_right));
            generics.params.insert(0, syn::parse_quote!('cm_left));
            generics
        };
        let (of_trees, _, _) = of_trees.split_for_impl();
        let of_compound = {
            let mut generics = generics.clone();
            generics.params.insert(0, syn::parse_quote!('cm_right));
            generics
        };
        let (of_compound, _, _) = of_compound.split_for_impl();
        let each = rights.iter().map(|right| match &output {
            Some(output) => quote! {
                impl #on_backend #path<#right> for #ty #clause {
                    type Output = #output;
                    #[inline(always)]
                    #[track_caller]
                    fn #function(self, right: #right) -> Self::Output {
                        self.#method(right)
                    }
                }

                impl #of_trees #krate::__private::LeftOf<#krate::__private::ops::#operator, &'cm_right #right, #backend>
                    for &'cm_left #ty #clause
                {
                    type In = i32;
                    type Output = #krate::__private::Whole<#output>;
                    type Register = #ty;
                    #[inline(always)]
                    #[track_caller]
                    fn before(self, right: &'cm_right #right) -> Self::Output {
                        #krate::__private::Whole(self.#method(*right))
                    }
                    #[inline(always)]
                    fn register(self) -> #ty {
                        *self
                    }
                }
            },
            None => quote! {
                impl #on_backend #path<#right> for #ty #clause {
                    #[inline(always)]
                    #[track_caller]
                    fn #function(&mut self, right: #right) {
                        self.#method(right);
                    }
                }

                impl #of_compound #krate::__private::Compound<#krate::__private::ops::#operator, &'cm_right #right, #backend>
                    for #ty #clause
                {
                    #[inline(always)]
                    #[track_caller]
                    fn combine(&mut self, right: &'cm_right #right) {
                        self.#method(*right);
                    }
                }
            },
        });
        quote!(#(#each)*)
    }
}

fn operator(path: &Path) -> Option<Operator> {
    let last = path.segments.last()?;
    OPERATORS.into_iter().find(|(name, _, _)| last.ident == name)
}

/// `Self::Output` is the type that the block names.
fn own_result(function: &mut ImplItemFn, output: Option<&Type>) {
    struct Output<'a>(&'a Type);
    impl VisitMut for Output<'_> {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            match ty {
                Type::Path(path)
                    if path.path.segments.len() == 2
                        && path.path.segments[0].ident == "Self"
                        && path.path.segments[1].ident == "Output" =>
                {
                    *ty = self.0.clone();
                }
                ty => visit_type_mut(self, ty),
            }
        }
    }
    let Some(output) = output else { return };
    let mut own = Output(output);
    own.visit_return_type_mut(&mut function.sig.output);
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(typed) = input {
            own.visit_pat_type_mut(typed);
        }
    }
    own.visit_block_mut(&mut function.block);
}

/// `Self` is the structure, as written.
struct Structure<'a>(&'a Type);

impl VisitMut for Structure<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.path.is_ident("Self") => *ty = self.0.clone(),
            ty => visit_type_mut(self, ty),
        }
    }
}
