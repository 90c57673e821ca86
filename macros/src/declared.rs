//! What the name of a type with `#[registers]` means on a backend: in any register file, and in one of a declared size.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Generics, Ident, Type};

use crate::model::{Options, ends};

/// A structure or `enum` with `#[registers]`.
pub(crate) struct Declared<'a> {
    pub(crate) options: &'a Options,
    /// The generics of the type as the user wrote it.
    pub(crate) generics: &'a Generics,
    /// The type as the user names it.
    pub(crate) plain: &'a TokenStream,
    /// The type on the backend.
    pub(crate) ty: &'a TokenStream,
    /// The types of the fields, each of which must fit the register file.
    pub(crate) fields: Vec<&'a Type>,
    /// Names of parameters: the backend, and the bytes of the register file.
    pub(crate) backend: &'a Ident,
    pub(crate) file: &'a Ident,
}

impl Declared<'_> {
    /// `Staged`, `Declared` and `DeclaredIn`.
    pub(crate) fn names(&self) -> TokenStream {
        let file = self.file;
        let staged = self.implementation("Staged", &quote!(), &[]);
        let declared = self.implementation("Declared", &quote!(), &self.fields);
        let declared_in = self.implementation("DeclaredIn", &quote!(, { #file }), &self.fields);
        quote!(#staged #declared #declared_in)
    }

    /// The trait of this name, whose bound the fields have, too. `file`: its second argument.
    fn implementation(&self, name: &str, file: &TokenStream, fields: &[&Type]) -> TokenStream {
        let Self { plain, ty, backend, .. } = self;
        let named = |span: Span| {
            let (krate, name) = (self.options.krate(span), Ident::new(name, span));
            quote_spanned!(span=> #krate::__private::#name<#backend #file>)
        };
        let mut generics = self.generics.clone();
        let (krate, of_file) = (self.options.krate(Span::call_site()), self.file);
        generics.params.push(syn::parse_quote!(#backend: #krate::__private::Backend));
        if !file.is_empty() {
            generics.params.push(syn::parse_quote!(const #of_file: usize));
        }
        for field in fields {
            let (span, _) = ends(field);
            let bound = named(span);
            generics.make_where_clause().predicates.push(syn::parse_quote_spanned!(span=> #field: #bound));
        }
        let (params, _, clause) = generics.split_for_impl();
        let name = named(Span::call_site());
        quote! {
            impl #params #name for #plain #clause {
                type Ty = #ty;
            }
        }
    }
}
