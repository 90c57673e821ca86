//! `#[registers]` on an `impl` block: the methods of a structure of registers.
//!
//! The block gets the backend as its last parameter, like the structure. Each function in it is staged like a `#[function]`.
//! Constants are of the host, and are in a block for plain Rust: their paths do not name a backend.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_path_mut, visit_type_mut};
use syn::{
    Attribute, FnArg, GenericParam, Ident, ImplItem, ImplItemFn, ItemFn, ItemImpl, Meta, Path, Signature,
    Type,
};

use crate::body::{
    is_known_constructor, is_method_of_registers, is_number_type, name_in_generics, other_name_of_constructor,
};
use crate::expand;
use crate::messages::{self, Errors};
use crate::model::{
    Options, Owner, add_argument, backend_name, ends, is_condition, is_register_type, path_of, with_spans,
};
use crate::names::{each_ident, without_self};
use crate::operator_traits::OperatorTrait;

/// The block on every backend.
pub(crate) fn expand(attribute: &TokenStream, mut item: ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    let options = syn::parse2::<Options>(attribute.clone()).unwrap_or_else(|error| {
        errors.push(error);
        Options::default()
    });
    let owner = owner(&item, &mut errors);
    let implemented = OperatorTrait::take(&mut item, &mut errors);
    let Some((owner, span)) = owner.filter(|_| errors.is_empty()) else { return errors.into_tokens() };
    // A refused item does not take the others with it: each use of them would be an error, too.
    let (mut functions, mut constants) = (Vec::new(), Vec::new());
    for item in item.items {
        match item {
            ImplItem::Fn(function) => match refused_name(&function) {
                Some(message) => errors.add(function.sig.ident.span(), message),
                None => functions.push(function),
            },
            ImplItem::Const(constant) => constants.push(constant),
            other => errors.add(ends(&other).0, messages::REGISTERS_ITEMS),
        }
    }
    let errors = errors.into_tokens();
    let attrs = &item.attrs;
    let constants = (!constants.is_empty()).then(|| {
        let (generics, _, clause) = item.generics.split_for_impl();
        let ty = &owner.ty;
        quote! {
            #(#attrs)*
            impl #generics #ty #clause {
                #(#constants)*
            }
        }
    });
    let krate = options.krate(span);
    let (backend, mut generics, mut ty) = (owner.backend.clone(), item.generics, owner.ty.clone());
    generics.params.push(syn::parse_quote!(#backend: #krate::__private::Backend));
    add_argument(&mut ty, &backend);
    let path = path_of(&owner.ty);
    let names: Vec<Ident> = functions.iter().map(|function| function.sig.ident.clone()).collect();
    let functions = functions.into_iter().map(|function| {
        let (own, function) = of_structure(function, &owner.ty, &path);
        let attribute = own.unwrap_or_else(|| attribute.clone());
        let other = other_name(&function.sig).filter(|other| !names.contains(other));
        let function = expand::of_structure(attribute, function, owner.clone());
        let again = other.and_then(|other| under_its_other_name(&function, other));
        quote!(#function #again)
    });
    let functions: Vec<TokenStream> = functions.collect();
    // rustc would miss the method that is refused.
    let implemented =
        implemented.filter(|implemented| functions.iter().any(|tokens| implemented.is_in(tokens)));
    let conditions: Vec<&Attribute> = attrs.iter().filter(|attr| is_condition(attr)).collect();
    let implemented =
        implemented.map(|implemented| implemented.implement(&owner, &generics, &ty, &conditions, &krate));
    let (generics, _, clause) = generics.split_for_impl();
    quote! {
        #errors
        #constants
        #(#attrs)*
        impl #generics #ty #clause {
            #(#functions)*
        }
        #implemented
    }
}

/// The name that calls of a function have where syntax does not show the owner: of a method in functions with generic sizes,
/// where the receiver may be a surface or buffer, and of `splat`, whose owner may be another name for a register.
fn other_name(function: &Signature) -> Option<Ident> {
    let name = function.ident.to_string();
    let name = match function.receiver() {
        Some(_) => name_in_generics(&name)?,
        None => other_name_of_constructor(&name)?.into(),
    };
    Some(Ident::new(&name, function.ident.span()))
}

/// A staged function under its other name.
fn under_its_other_name(function: &TokenStream, name: Ident) -> Option<ItemFn> {
    // The body, which may be deep, is not parsed.
    let mut tokens: Vec<TokenTree> = function.clone().into_iter().collect();
    match tokens.last_mut() {
        Some(body @ TokenTree::Group(_)) => *body = Group::new(Delimiter::Brace, TokenStream::new()).into(),
        _ => return None,
    }
    let mut function: ItemFn = syn::parse2(tokens.into_iter().collect()).ok()?;
    let called = forwarded(&function.sig)?;
    function.block = syn::parse_quote!({ #called });
    function.sig.ident = name;
    function.attrs.extend([syn::parse_quote!(#[doc(hidden)]), syn::parse_quote!(#[allow(dead_code)])]);
    Some(function)
}

/// The call of a function with its own parameters.
fn forwarded(method: &Signature) -> Option<TokenStream> {
    let name = &method.ident;
    let generics = method.generics.params.iter().filter_map(|param| match param {
        GenericParam::Const(param) => Some(&param.ident),
        GenericParam::Type(param) => Some(&param.ident),
        GenericParam::Lifetime(_) => None,
    });
    let generics: Vec<&Ident> = generics.collect();
    let generics = (!generics.is_empty()).then(|| quote!(::<#(#generics),*>));
    let of_self = usize::from(method.receiver().is_some());
    let arguments = method.inputs.iter().skip(of_self).map(|input| match input {
        FnArg::Typed(typed) => match &*typed.pat {
            syn::Pat::Ident(name) => Some(&name.ident),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let arguments = arguments.collect::<Option<Vec<&Ident>>>()?;
    let owner = if of_self == 1 { quote!(self.) } else { quote!(Self::) };
    Some(quote!(#owner #name #generics(#(#arguments),*)))
}

/// The mistake in the name of a function: the macros have rules for calls of this name.
fn refused_name(function: &ImplItemFn) -> Option<&'static str> {
    let name = function.sig.ident.to_string();
    match function.sig.receiver() {
        Some(_) => is_method_of_registers(&name).then_some(messages::METHOD_NAME),
        None => (is_known_constructor(&name) && other_name_of_constructor(&name).is_none())
            .then_some(messages::CONSTRUCTOR_NAME),
    }
}

/// The block as its functions see it, and where its structure is named.
fn owner(item: &ItemImpl, errors: &mut Errors) -> Option<(Owner, Span)> {
    match &item.trait_ {
        Some((path, _)) if !OperatorTrait::is_named_by(path) => {
            errors.add(path.span(), messages::registers_trait(&item.self_ty));
        }
        Some(_) if is_number_type(&item.self_ty) || is_register_type(&item.self_ty) => {
            errors.add(item.self_ty.span(), messages::OPERATOR_LEFT);
            return None;
        }
        _ => {}
    }
    let mut consts = Vec::new();
    for param in &item.generics.params {
        match param {
            GenericParam::Const(param) => consts.push(param.ident.clone()),
            other => errors.add(other.span(), messages::REGISTERS_GENERICS),
        }
    }
    let ty = (*item.self_ty).clone();
    let span = match &ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last().map(|last| last.ident.span()),
        _ => None,
    };
    let Some(span) = span else {
        errors.add(ty.span(), messages::REGISTERS_OWNER);
        return None;
    };
    let backend = backend_name(quote!(#item));
    Some((Owner { ty, consts, backend }, span))
}

/// The function without `#[function]`, whose arguments are returned, and without `Self`, which is the structure on the
/// backend: the macros need its path.
fn of_structure(function: ImplItemFn, ty: &Type, structure: &Path) -> (Option<TokenStream>, ItemFn) {
    let ImplItemFn { attrs, vis, modifiers, sig, block } = function;
    let mut own = None;
    let attrs = attrs.into_iter().filter(|attr| {
        let is_function = attr.path().segments.last().is_some_and(|last| last.ident == "function");
        if let (true, Meta::List(list)) = (is_function, &attr.meta) {
            own = Some(list.tokens.clone());
        }
        !is_function
    });
    let attrs = attrs.collect();
    let mut function = ItemFn { attrs, vis, modifiers, sig, block: Box::new(block) };
    variable_of_own(&mut function);
    let mut named = Named { ty, structure };
    function.sig.inputs.iter_mut().for_each(|input| match input {
        // Its type is part of the receiver.
        FnArg::Receiver(_) => {}
        FnArg::Typed(typed) => named.visit_pat_type_mut(typed),
    });
    named.visit_return_type_mut(&mut function.sig.output);
    named.visit_block_mut(&mut function.block);
    (own, function)
}

/// `mut self` becomes `self`, and its body uses a variable with this value: rustc takes `self` for no other name.
fn variable_of_own(function: &mut ItemFn) {
    let Some(FnArg::Receiver(receiver)) = function.sig.inputs.first_mut() else { return };
    if receiver.mutability.take().is_none() {
        return;
    }
    let value = Ident::from(receiver.self_token);
    let (own, body) = without_self(function.block.to_token_stream());
    let own = Ident::new(&own.to_string(), value.span());
    let block: syn::Block = syn::parse_quote!(#body);
    function.block.stmts = block.stmts;
    function.block.stmts.insert(0, syn::parse_quote_spanned!(value.span()=> let mut #own = #value;));
}

/// Replaces `Self`.
struct Named<'a> {
    ty: &'a Type,
    structure: &'a Path,
}

impl VisitMut for Named<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.path.is_ident("Self") => *ty = self.ty.clone(),
            _ => visit_type_mut(self, ty),
        }
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        if path.segments.first().is_some_and(|first| first.ident == "Self") {
            let mut segments = std::mem::take(&mut path.segments).into_iter();
            let span = segments.next().map_or_else(Span::call_site, |own| own.ident.span());
            let structure = located(self.structure, span);
            *path = syn::parse_quote!(#structure);
            path.segments.extend(segments);
        }
        visit_path_mut(self, path);
    }

    /// SIMD control flow, whose contents are tokens.
    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        call.tokens = named(std::mem::take(&mut call.tokens), self.structure);
    }
}

/// The path, at the tokens of the user.
fn located(structure: &Path, span: Span) -> TokenStream {
    with_spans(structure.to_token_stream(), |own| own.located_at(span))
}

fn named(tokens: TokenStream, structure: &Path) -> TokenStream {
    each_ident(tokens, &|ident, _| (ident == "Self").then(|| located(structure, ident.span())))
}

#[cfg(test)]
mod tests {
    use quote::quote;

    /// Also those that have another name.
    #[test]
    fn bodies_of_methods_may_be_deep() {
        let arms: String = (0..100).map(|n| format!("if n == {n} {{ x += {n}; }} else ")).collect();
        for (name, functions) in [("sum", 1), ("read", 2)] {
            let text = format!(
                "impl S {{ fn {name}(&self, n: i32) -> i32 {{ let mut x = self.a; {arms} {{ x = 0; }} x }} }}"
            );
            let item = syn::parse_str(&text).expect("a block");
            let expanded = super::expand(&quote!(), item).to_string();
            assert!(!expanded.contains("compile_error"), "{expanded}");
            assert_eq!(expanded.matches("fn ").count(), functions, "{expanded}");
        }
    }
}
