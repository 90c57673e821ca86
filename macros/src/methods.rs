//! `#[registers]` on an `impl` block: the methods of a structure of registers.
//!
//! The block gets the backend as its last parameter, like the structure. Each function in it is staged like a `#[function]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_path_mut, visit_type_mut};
use syn::{GenericParam, Ident, ImplItem, ImplItemFn, ItemFn, ItemImpl, Meta, Path, PathArguments, Type};

use crate::body::is_known_method;
use crate::expand;
use crate::messages::{self, Errors};
use crate::model::{Options, Owner, backend_name, ends};

/// The block on every backend.
pub(crate) fn expand(attribute: &TokenStream, item: ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    let options = syn::parse2::<Options>(attribute.clone()).unwrap_or_else(|error| {
        errors.push(error);
        Options::default()
    });
    let owner = owner(&item, &mut errors);
    let mut functions = Vec::new();
    for item in item.items {
        match item {
            ImplItem::Fn(function) => functions.push(function),
            other => errors.add(ends(&other).0, messages::REGISTERS_ITEMS),
        }
    }
    for function in &functions {
        let name = &function.sig.ident;
        if function.sig.receiver().is_some() && is_known_method(&name.to_string()) {
            errors.add(name.span(), messages::METHOD_NAME);
        }
    }
    let Some((owner, structure)) = owner.filter(|_| errors.is_empty()) else { return errors.into_tokens() };
    let krate = options.krate(structure.span());
    let (backend, mut generics, mut ty) = (owner.backend.clone(), item.generics, owner.ty.clone());
    generics.params.push(syn::parse_quote!(#backend: #krate::__private::Backend));
    add_argument(&mut ty, &backend);
    let (generics, _, clause) = generics.split_for_impl();
    let attrs = &item.attrs;
    let functions = functions.into_iter().map(|function| {
        let (own, function) = of_structure(function, &owner.ty, &structure);
        let attribute = own.unwrap_or_else(|| attribute.clone());
        expand::of_structure(attribute, function, owner.clone())
    });
    quote! {
        #(#attrs)*
        impl #generics #ty #clause {
            #(#functions)*
        }
    }
}

/// The block as its functions see it, and the name of the structure.
fn owner(item: &ItemImpl, errors: &mut Errors) -> Option<(Owner, Ident)> {
    if let Some((path, _)) = &item.trait_ {
        errors.add(path.span(), messages::REGISTERS_TRAIT);
    }
    let mut consts = Vec::new();
    for param in &item.generics.params {
        match param {
            GenericParam::Const(param) => consts.push(param.ident.clone()),
            other => errors.add(other.span(), messages::REGISTERS_GENERICS),
        }
    }
    let ty = (*item.self_ty).clone();
    let name = match &ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    };
    let Some(name) = name else {
        errors.add(ty.span(), messages::REGISTERS_OWNER);
        return None;
    };
    let backend = backend_name(quote!(#item));
    Some((Owner { ty, consts, backend }, name))
}

/// The backend as the last argument of the structure.
fn add_argument(ty: &mut Type, backend: &Ident) {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last_mut()
    {
        match &mut last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.push(syn::parse_quote!(#backend)),
            arguments => *arguments = PathArguments::AngleBracketed(syn::parse_quote!(<#backend>)),
        }
    }
}

/// The function without `#[function]`, whose arguments are returned, and without `Self`, which is the structure on the
/// backend: the macros need its name.
fn of_structure(function: ImplItemFn, ty: &Type, structure: &Ident) -> (Option<TokenStream>, ItemFn) {
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
    let mut named = Named { ty, structure };
    function.sig.inputs.iter_mut().for_each(|input| match input {
        // Its type is part of the receiver.
        syn::FnArg::Receiver(_) => {}
        syn::FnArg::Typed(typed) => named.visit_pat_type_mut(typed),
    });
    named.visit_return_type_mut(&mut function.sig.output);
    named.visit_block_mut(&mut function.block);
    (own, function)
}

/// Replaces `Self`.
struct Named<'a> {
    ty: &'a Type,
    structure: &'a Ident,
}

impl VisitMut for Named<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.path.is_ident("Self") => *ty = self.ty.clone(),
            _ => visit_type_mut(self, ty),
        }
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        if let Some(first) = path.segments.first_mut()
            && first.ident == "Self"
        {
            // Its constants follow from the values.
            first.ident = Ident::new(&self.structure.to_string(), first.ident.span());
        }
        visit_path_mut(self, path);
    }

    /// SIMD control flow, whose contents are tokens.
    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        call.tokens = named(std::mem::take(&mut call.tokens), self.structure);
    }
}

fn named(tokens: TokenStream, structure: &Ident) -> TokenStream {
    use proc_macro2::{Group, TokenTree};
    let renamed = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "Self" => Ident::new(&structure.to_string(), ident.span()).into(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), named(group.stream(), structure));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    });
    renamed.collect()
}
