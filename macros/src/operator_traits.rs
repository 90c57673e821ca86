//! Rust's operator traits, for structures of registers: `#[registers] impl Add for Complex { .. }`.
//!
//! The function of the trait becomes a method of the structure, which is staged like the others. The trait calls it on every
//! backend, and so do trees of operators, which have a trait of their own. A number on the right may be one of the host, too.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{VisitMut, visit_path_mut, visit_type_mut};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Generics, Ident, ImplItem, ImplItemFn, ItemImpl, Path,
    PathArguments, PathSegment, ReceiverKind, Signature, Type, WherePredicate,
};

use crate::body::is_number_type;
use crate::messages::{self, Errors};
use crate::model::{Owner, add_argument, ends, is_register_type, path_of};

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
        let assigns = operator.0.ends_with("Assign");
        if output.is_some() == assigns {
            errors.add(ends(&path).0, messages::OPERATOR_ITEMS);
        }
        if !has_parameters(&function.sig, 1 + usize::from(binary.is_some()), assigns) {
            errors.add(function.sig.ident.span(), messages::OPERATOR_SIGNATURE);
        }
        if !errors.is_empty() {
            return None;
        }
        // The names of the traits' methods stay free for those of the structure, and each right operand has its own.
        let right_name = right.to_token_stream().to_string();
        let words: Vec<&str> =
            right_name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let name = words.join("_");
        let method = Ident::new(&format!("__{}_{name}", function.sig.ident), function.sig.ident.span());
        own_result(&mut function, output.as_ref());
        function.sig.ident = method.clone();
        function.attrs.push(syn::parse_quote!(#[doc(hidden)]));
        function.attrs.push(syn::parse_quote!(#[allow(non_snake_case)]));
        item.items.push(ImplItem::Fn(function));
        Some(Self { path, operator, right, output, method })
    }

    /// Whether its method is among the tokens of the block.
    pub(crate) fn is_in(&self, function: &TokenStream) -> bool {
        function
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(name) if name == self.method))
    }

    /// The trait on every backend, under the `conditions` of the block. `generics` are those of the structure, with the backend.
    pub(crate) fn implement(
        &self,
        owner: &Owner,
        generics: &Generics,
        ty: &Type,
        conditions: &[&Attribute],
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
                #(#conditions)*
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
        let each = rights.iter().map(|right| {
            let (output, result) = match &output {
                Some(output) => (Some(quote!(type Output = #output;)), Some(quote!(-> Self::Output))),
                None => (None, None),
            };
            let (receiver, end) =
                if self.assigns() { (quote!(&mut self), quote!(;)) } else { (quote!(self), quote!()) };
            quote! {
                #(#conditions)*
                impl #on_backend #path<#right> for #ty #clause {
                    #output
                    #[inline(always)]
                    #[track_caller]
                    fn #function(#receiver, right: #right) #result {
                        self.#method(right) #end
                    }
                }
            }
        });
        let simple = rights.iter().map(|right| Right {
            ty: right.clone(),
            generics: generics.clone(),
            value: quote!(*right),
        });
        let of_trees = simple.chain(operands(right, generics, backend, krate));
        let of_trees = of_trees.map(|right| {
            let of_tree = self.in_trees(right, ty, output.as_ref(), backend, krate);
            quote!(#(#conditions)* #of_tree)
        });
        quote!(#(#each)* #(#of_trees)*)
    }

    fn assigns(&self) -> bool {
        self.output.is_none()
    }

    /// What trees of operators call, and compound assignments with trees on the right.
    fn in_trees(
        &self,
        right: Right,
        ty: &Type,
        output: Option<&TokenStream>,
        backend: &Ident,
        krate: &TokenStream,
    ) -> TokenStream {
        let Right { ty: right, mut generics, value } = right;
        let (method, private) = (&self.method, quote!(#krate::__private));
        let operator = self.operator.2.map(|name| Ident::new(name, method.span()));
        generics.params.insert(0, syn::parse_quote!('cm_right));
        let Some(output) = output else {
            let (generics, _, clause) = generics.split_for_impl();
            return quote! {
                impl #generics #private::Compound<#private::ops::#operator, &'cm_right #right, #backend> for #ty #clause {
                    #[inline(always)]
                    #[track_caller]
                    fn combine(&mut self, right: &'cm_right #right) {
                        self.#method(#value);
                    }
                }
            };
        };
        generics.params.insert(0, syn::parse_quote!('cm_left));
        let (generics, _, clause) = generics.split_for_impl();
        quote! {
            impl #generics #private::LeftOf<#private::ops::#operator, &'cm_right #right, #backend>
                for &'cm_left #ty #clause
            {
                type In = i32;
                type Output = #private::AtOnce<#output>;
                type Register = #ty;
                #[inline(always)]
                #[track_caller]
                fn before(self, right: &'cm_right #right) -> Self::Output {
                    #private::AtOnce(self.#method(#value))
                }
                #[inline(always)]
                fn register(self) -> #ty {
                    *self
                }
            }
        }
    }
}

/// A right operand in a tree of operators.
struct Right {
    /// Its type, behind a reference.
    ty: TokenStream,
    /// Those of the structure, and its own.
    generics: Generics,
    /// What the method gets of the reference `right`.
    value: TokenStream,
}

/// What may be in place of a register on the right: a region of another one, and the result of an operator.
fn operands(right: &Type, generics: &Generics, backend: &Ident, krate: &TokenStream) -> Vec<Right> {
    let Some((register, args)) = register(right) else { return Vec::new() };
    let (Some(element), sizes) = (args.first(), args.get(1..).unwrap_or_default()) else { return Vec::new() };
    let [view, inner, whole] = ["View", "Inner", ""].map(|kind| match kind {
        "Inner" => Ident::new(&format!("Inner{register}"), register.span()),
        kind => Ident::new(&format!("{register}{kind}"), register.span()),
    });
    let private = quote!(#krate::__private);
    let shape = if sizes.len() == 1 { quote!(1, #(#sizes),*) } else { quote!(#(#sizes),*) };
    let operand = quote!(#private::Operand<#shape, #backend>);
    let value = quote!(#private::#whole::from_reg(<_ as #operand>::into_operand(*right)));
    let mut of_view = generics.clone();
    of_view.params.insert(0, syn::parse_quote!('cm_view));
    of_view.params.extend::<[GenericParam; 4]>([
        syn::parse_quote!(CmStorage: #private::Storage<#backend> + 'cm_view),
        syn::parse_quote!(const CM_ROWS: usize),
        syn::parse_quote!(const CM_COLUMNS: usize),
        syn::parse_quote!(const CM_STEP: usize),
    ]);
    let view = quote! {
        #private::#view<'cm_view, #element, #(#sizes,)* CM_ROWS, CM_COLUMNS, CM_STEP, #backend, CmStorage>
    };
    let inner = quote!(#private::#inner<CmOperator, CmIn, CmLeft, CmRight, #(#sizes,)* #backend>);
    let mut of_inner = generics.clone();
    of_inner.params.extend::<[GenericParam; 4]>([
        syn::parse_quote!(CmOperator: #private::ops::BinaryOp<CmIn>),
        syn::parse_quote!(CmIn: #private::Elem),
        syn::parse_quote!(CmLeft: ::core::marker::Copy),
        syn::parse_quote!(CmRight: ::core::marker::Copy),
    ]);
    let bound: WherePredicate =
        syn::parse_quote!(#inner: #private::Operand<#shape, #backend, Elem = #element>);
    of_inner.make_where_clause().predicates.push(bound);
    vec![
        Right { ty: view, generics: of_view, value: value.clone() },
        Right { ty: inner, generics: of_inner, value },
    ]
}

/// `Vector` or `Matrix`, with its arguments.
fn register(ty: &Type) -> Option<(&Ident, Vec<&GenericArgument>)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(of) = &last.arguments else { return None };
    let args: Vec<&GenericArgument> = of.args.iter().collect();
    let sizes = if last.ident == "Vector" { 2 } else { 3 };
    (is_register_type(ty) && args.len() == sizes).then_some((&last.ident, args))
}

/// Whether the function of an operator has this number of parameters, of which the first is `&mut self` if it `assigns`.
fn has_parameters(function: &Signature, number: usize, assigns: bool) -> bool {
    let own = function.receiver().is_some_and(|own| match &own.kind {
        ReceiverKind::Reference(_, _, mutable) => assigns && mutable.is_some(),
        ReceiverKind::Value => !assigns,
        _ => false,
    });
    own && function.inputs.len() == number
}

fn operator(path: &Path) -> Option<Operator> {
    let last = path.segments.last()?;
    OPERATORS.into_iter().find(|(name, _, _)| last.ident == name)
}

/// `Self::Output` is the type that the block names.
fn own_result(function: &mut ImplItemFn, output: Option<&Type>) {
    struct Output<'a>(&'a Type);
    impl VisitMut for Output<'_> {
        fn visit_path_mut(&mut self, path: &mut Path) {
            let named: Vec<&Ident> = path.segments.iter().take(2).map(|part| &part.ident).collect();
            if let [own, output] = *named
                && own == "Self"
                && output == "Output"
            {
                let rest: Vec<PathSegment> = path.segments.iter().skip(2).cloned().collect();
                *path = path_of(self.0);
                path.segments.extend(rest);
            }
            visit_path_mut(self, path);
        }

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
