//! The arguments of a launch: the parameters of a kernel, or the fields of a structure of arguments.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, Index, Type, TypeReference};

use crate::model::{Passing, ends, passing, with_spans};

/// A parameter or field.
pub(crate) struct Argument<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) passing: Passing,
    /// Without the reference.
    pub(crate) ty: &'a Type,
    /// As written.
    pub(crate) full: &'a Type,
    /// The path of the `cm` crate, at the type.
    pub(crate) krate: TokenStream,
}

impl<'a> Argument<'a> {
    pub(crate) fn new(name: &'a Ident, full: &'a Type, krate: impl Fn(Span) -> TokenStream) -> Self {
        let (passing, ty) = passing(full);
        Self { name, passing, ty, full, krate: krate(ends(ty).0) }
    }

    /// The trait of types that are passed in this way.
    pub(crate) fn bound(&self) -> TokenStream {
        let (krate, span) = (&self.krate, ends(self.ty).0);
        let passing =
            Ident::new(if self.passing == Passing::Value { "ByValue" } else { "ByReference" }, span);
        quote_spanned!(span=> #krate::__private::Argument<#krate::__private::#passing>)
    }

    /// An item of its type as an argument. All items have the span of the type, so that a type that is not an argument
    /// is reported once.
    pub(crate) fn item(&self, item: &TokenStream) -> TokenStream {
        let ((first, last), ty, bound) = (ends(self.ty), self.ty, self.bound());
        let open = quote_spanned!(first=> <#ty as #bound);
        let item = with_spans(item.clone(), |_| last);
        let close = quote_spanned!(last=> >::#item);
        quote!(#open #close)
    }

    /// Appends `value` to the arguments of a launch, as a value of `ty`, the type without its reference.
    pub(crate) fn append(
        &self,
        private: &TokenStream,
        ty: &TokenStream,
        [value, args]: [TokenStream; 2],
    ) -> TokenStream {
        // At the type, so that a mistake in it is reported there, and once.
        let reference = with_spans(reference(self.full), |_| ends(self.ty).0);
        quote!(<#reference #ty as #private::LaunchArgs<'_>>::append(#value, #args);)
    }
}

/// `&` or `&mut` of a parameter, as written: rustc's suggestions are at these tokens.
pub(crate) fn reference(full: &Type) -> TokenStream {
    match full {
        Type::Reference(TypeReference { and_token, mutability, .. }) => quote!(#and_token #mutability),
        _ => quote!(),
    }
}

/// All arguments, in their order. A backend binds them to a tuple, once for a launch; each thread has a copy of the tuple
/// and lends its elements to the kernel.
///
/// The calls end at the end of a type, so that a type that is not an argument is reported once.
pub(crate) struct ArgumentList<'a>(pub(crate) Vec<Argument<'a>>);

impl ArgumentList<'_> {
    /// What the runtime knows of them.
    pub(crate) fn params(&self, private: &TokenStream) -> Vec<TokenStream> {
        let param = |argument: &Argument<'_>| {
            let (name, kind) = (argument.name.to_string(), argument.item(&quote!(KIND)));
            let exclusive = argument.passing == Passing::Exclusive;
            quote!(#private::Param { name: #name, kind: #kind.by(#exclusive) })
        };
        self.0.iter().map(param).collect()
    }

    /// The elements of the tuple, from the source of arguments.
    pub(crate) fn binds(&self, backend: &Ident, source: &Ident) -> Vec<TokenStream> {
        let bind = |argument: &Argument<'_>| {
            let (bind, last) = (argument.item(&quote!(bind::<#backend>)), ends(argument.ty).1);
            let call = quote_spanned!(last=> (#source));
            quote!(#bind #call)
        };
        self.0.iter().map(bind).collect()
    }

    /// The elements of a copy of the tuple.
    pub(crate) fn copies(&self, backend: &Ident, bound: &Ident) -> Vec<TokenStream> {
        let copy = |(i, argument): (usize, &Argument<'_>)| {
            let (copy, last) = (argument.item(&quote!(copy::<#backend>)), ends(argument.ty).1);
            let index = Index::from(i);
            let call = quote_spanned!(last=> (&#bound.#index));
            quote!(#copy #call)
        };
        self.0.iter().enumerate().map(copy).collect()
    }

    /// The elements as the kernel takes them.
    pub(crate) fn lends(&self, backend: &Ident, bound: &Ident) -> Vec<TokenStream> {
        let lend = |(i, argument): (usize, &Argument<'_>)| {
            let index = Index::from(i);
            match argument.passing {
                Passing::Value => {
                    let (lend, last) = (argument.item(&quote!(lend::<#backend>)), ends(argument.ty).1);
                    let call = quote_spanned!(last=> (&mut #bound.#index));
                    quote!(#lend #call)
                }
                Passing::Shared => quote!(&#bound.#index),
                Passing::Exclusive => quote!(&mut #bound.#index),
            }
        };
        self.0.iter().enumerate().map(lend).collect()
    }
}
