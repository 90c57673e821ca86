//! `#[registers]`: a structure of registers, each of whose fields is a variable of a kernel.
//!
//! The structure gets the backend as its last parameter, like `Matrix` and `Vector`, and its default is that of plain Rust.
//! The fields have the types of the backend.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Field, Fields, GenericParam, Generics, Ident, ItemEnum, ItemStruct, Type, WhereClause};

use crate::declared::Declared;
use crate::derives::{HAD, UNDERIVED, derived, kept};
use crate::enums;
use crate::messages::{self, Errors};
use crate::model::{Options, ends, is_condition};
use crate::names::unused;

/// The structure on every backend, and what makes it a variable.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = syn::parse2::<Options>(attribute).unwrap_or_else(|error| {
        errors.push(error);
        Options::default()
    });
    if let Ok(item) = syn::parse2::<ItemEnum>(item.clone()) {
        return enums::expand(&options, item, errors);
    }
    let item = match syn::parse2::<ItemStruct>(item.clone()) {
        Ok(item) => item,
        Err(_) => {
            let first = item.clone().into_iter().next();
            let span = first.as_ref().map_or_else(Span::call_site, TokenTree::span);
            errors.add(span, messages::REGISTERS_FIELDS);
            let errors = errors.into_tokens();
            // The item is kept, so that its uses do not cause further errors.
            return quote!(#errors #item);
        }
    };
    check(&item, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    // The rest of the structure is right, so that its uses do not cause further errors.
    for path in item.attrs.iter().flat_map(derived) {
        if let Some(last) = path.segments.last()
            && UNDERIVED.iter().any(|name| last.ident == name)
        {
            errors.add(last.ident.span(), messages::REGISTERS_DERIVE);
        }
    }
    let (errors, structure) = (errors.into_tokens(), Structure::new(item, options).into_tokens());
    quote!(#errors #structure)
}

fn check(item: &ItemStruct, errors: &mut Errors) {
    for param in &item.generics.params {
        if !matches!(param, GenericParam::Const(_)) {
            errors.add(param.span(), messages::REGISTERS_GENERICS);
        }
    }
    match &item.fields {
        Fields::Named(fields) if !fields.named.is_empty() => {
            for field in &fields.named {
                if let Type::Reference(reference) = &field.ty {
                    errors.add(reference.and_token.span(), messages::REGISTERS_REFERENCE);
                }
                // The implementations name every field, in places that cannot have it.
                if let Some(condition) = field.attrs.iter().find(|attr| is_condition(attr)) {
                    errors.add(condition.pound_token.span, messages::CFG_FIELD);
                }
            }
        }
        _ => errors.add(item.ident.span(), messages::REGISTERS_FIELDS),
    }
}

struct Structure {
    item: ItemStruct,
    options: Options,
    /// The parameter that the structure gets.
    backend: Ident,
    /// A parameter of implementations: the kind of a value, or a mask.
    kind: Ident,
    /// A parameter of an implementation: the bytes of a register file.
    file: Ident,
}

impl Structure {
    fn new(item: ItemStruct, options: Options) -> Self {
        let names = [["B", "CmBackend"], ["M", "CmKind"], ["FILE", "CM_FILE"]];
        let [backend, kind, file] = names.map(|names| unused(&quote!(#item), names));
        Self { item, options, backend, kind, file }
    }

    /// The path of the items that the output of the macros names, at `span`.
    fn private_at(&self, span: Span) -> TokenStream {
        let krate = self.options.krate(span);
        quote_spanned!(span=> #krate::__private)
    }

    /// The type of a field on the backend.
    fn staged(&self, ty: &Type) -> TokenStream {
        let ((first, last), backend) = (ends(ty), &self.backend);
        let private = self.private_at(first);
        let open = quote_spanned!(first=> <#ty as #private::Staged<#backend>);
        let close = quote_spanned!(last=> >::Ty);
        quote!(#open #close)
    }

    /// The structure's own bounds, and one for each field.
    fn bounded(&self, bound: impl Fn(&Field) -> TokenStream) -> WhereClause {
        let mut clause = self.item.generics.where_clause.clone().unwrap_or_else(|| syn::parse_quote!(where));
        for field in &self.item.fields {
            let bound = bound(field);
            clause.predicates.push(syn::parse_quote!(#bound));
        }
        clause
    }

    fn definition(&self) -> TokenStream {
        let (private, backend) = (self.private_at(Span::call_site()), &self.backend);
        let mut item = self.item.clone();
        // Those of `UNDERIVED` are reported; a derive would ask for a backend with them.
        let removed = [&HAD[..], &UNDERIVED[..]].concat();
        item.attrs = self.item.attrs.iter().filter_map(|attr| kept(attr, &removed)).collect();
        item.generics.params.push(syn::parse_quote!(#backend: #private::Backend = #private::Plain));
        for field in &mut item.fields {
            let ty = self.staged(&field.ty);
            field.ty = syn::parse_quote!(#ty);
        }
        quote!(#item)
    }

    fn into_tokens(self) -> TokenStream {
        let (definition, copies, names) = (self.definition(), self.copies(), self.names());
        let (enters, stores, changes) = (self.enters(), self.stores(), self.changes());
        quote! {
            #definition

            #[allow(clippy::all, clippy::pedantic)]
            const _: () = {
                #copies
                #names
                #enters
                #stores
                #changes
            };
        }
    }

    /// The structure's generics and more parameters.
    fn generics(&self, params: &[TokenStream]) -> Generics {
        let mut generics = self.item.generics.clone();
        for param in params {
            generics.params.push(syn::parse_quote!(#param));
        }
        generics
    }

    /// The generics of the structure on a backend.
    fn on_backend(&self) -> Generics {
        let (private, backend) = (self.private_at(Span::call_site()), &self.backend);
        self.generics(&[quote!(#backend: #private::Backend)])
    }

    /// The structure as the user wrote it, which has the default backend.
    fn plain(&self) -> TokenStream {
        let (name, (_, generics, _)) = (&self.item.ident, self.item.generics.split_for_impl());
        quote!(#name #generics)
    }

    fn field_names(&self) -> Vec<&Ident> {
        self.item.fields.iter().filter_map(|field| field.ident.as_ref()).collect()
    }

    fn field_types(&self) -> Vec<TokenStream> {
        self.item.fields.iter().map(|field| self.staged(&field.ty)).collect()
    }

    /// `Clone` and `Copy`.
    fn copies(&self) -> TokenStream {
        let (private, backend, name) = (self.private_at(Span::call_site()), &self.backend, &self.item.ident);
        let generics = self.on_backend();
        let (on_backend, ty, clause) = generics.split_for_impl();
        let ty = quote!(#name #ty);
        quote! {
            impl #on_backend ::core::clone::Clone for #ty #clause {
                // The value of a variable now.
                #[inline(always)]
                #[track_caller]
                fn clone(&self) -> Self {
                    #private::Stored::<#backend>::load(self)
                }
            }

            impl #on_backend ::core::marker::Copy for #ty #clause {}
        }
    }

    /// What the user's name of the structure means on a backend.
    fn names(&self) -> TokenStream {
        let (private, backend, name) = (self.private_at(Span::call_site()), &self.backend, &self.item.ident);
        let (plain, generics) = (self.plain(), self.on_backend());
        let (on_backend, ty, clause) = generics.split_for_impl();
        let ty = quote!(#name #ty);
        let (on_plain, _, _) = self.item.generics.split_for_impl();
        let mut unpinned = generics.clone();
        unpinned.make_where_clause().predicates.push(syn::parse_quote!(#backend: #private::NoBackend));
        let never = &unpinned.where_clause;
        let names = Declared {
            options: &self.options,
            generics: &self.item.generics,
            plain: &plain,
            ty: &ty,
            fields: self.item.fields.iter().map(|field| &field.ty).collect(),
            backend,
            file: &self.file,
        };
        let names = names.names();
        quote! {
            #names

            impl #on_backend #private::ShowsBackend for #ty #clause {}

            impl #on_plain #private::OnBackends for #plain #clause {}

            // A structure of the host has it.
            impl #on_backend ::core::marker::Unpin for #ty #never {}
        }
    }

    /// A value of it stays the same where a value of its type is expected.
    fn enters(&self) -> TokenStream {
        let (private, backend, kind) = (self.private_at(Span::call_site()), &self.backend, &self.kind);
        let (name, plain, generics) = (&self.item.ident, self.plain(), self.on_backend());
        let (on_backend, ty, clause) = generics.split_for_impl();
        let ty = quote!(#name #ty);
        let of_kind = self.generics(&[quote!(#backend: #private::Backend), quote!(#kind)]);
        let (on_kind, _, _) = of_kind.split_for_impl();
        quote! {
            impl #on_kind #private::Enters<#plain, #backend, #kind> for #ty #clause {
                #[inline(always)]
                fn enter(self) -> Self {
                    self
                }
            }

            impl #on_backend #private::Stages<#backend> for #ty #clause {
                type Var = Self;
                #[inline(always)]
                fn stage(self) -> Self {
                    self
                }
            }
        }
    }

    /// Its variables, which are those of its fields.
    fn stores(&self) -> TokenStream {
        let (private, backend, name) = (self.private_at(Span::call_site()), &self.backend, &self.item.ident);
        let (names, types) = (self.field_names(), self.field_types());
        let (plain, generics) = (self.plain(), self.on_backend());
        let (on_backend, ty, clause) = generics.split_for_impl();
        let ty = quote!(#name #ty);
        // At the type of a field, so that a wrong one is reported there.
        let stored = |name: &str| -> Vec<_> {
            let at = |field: &Field| {
                let span = ends(&field.ty).0;
                let (private, name) = (self.private_at(span), Ident::new(name, span));
                quote_spanned!(span=> #private::Stored::<#backend>::#name)
            };
            self.item.fields.iter().map(at).collect()
        };
        let [declares, undefineds, loads, puts] = ["declare", "undefined", "load", "put"].map(stored);
        quote! {
            // A compound assignment changes it as a whole.
            impl #on_backend #private::Strips<#backend> for #ty #clause {
                type Strip = ();
                #[inline(always)]
                fn strip(&self, _: usize) {}
            }

            impl #on_backend #private::Stored<#backend> for #ty #clause {
                type Name = #plain;
                const HOST: bool = #(<#types as #private::Stored<#backend>>::HOST)||*;
                #[inline(always)]
                #[track_caller]
                fn declare(self) -> Self {
                    Self { #(#names: #declares(self.#names)),* }
                }
                #[inline(always)]
                #[track_caller]
                fn undefined() -> Self {
                    Self { #(#names: #undefineds()),* }
                }
                #[inline(always)]
                #[track_caller]
                fn load(&self) -> Self {
                    Self { #(#names: #loads(&self.#names)),* }
                }
                #[inline(always)]
                #[track_caller]
                fn put(&mut self, value: Self) {
                    #(#puts(&mut self.#names, value.#names);)*
                }
            }
        }
    }

    /// Its change in some lanes, by SIMD control flow.
    fn changes(&self) -> TokenStream {
        let (private, backend, kind) = (self.private_at(Span::call_site()), &self.backend, &self.kind);
        let (names, types) = (self.field_names(), self.field_types());
        let (name, generics) = (&self.item.ident, self.on_backend());
        let (_, ty, _) = generics.split_for_impl();
        let ty = quote!(#name #ty);
        let of_mask = self
            .generics(&[quote!(#backend: #private::Backend), quote!(#kind: #private::LaneMask<#backend>)]);
        let (on_mask, _, _) = of_mask.split_for_impl();
        // A condition changes once for all lanes.
        let lanes = |field: &Field| {
            let all = matches!(&field.ty, Type::Path(ty) if ty.path.is_ident("bool"));
            let lanes = Ident::new(if all { "OfAll" } else { "OfLanes" }, Span::call_site());
            quote!(#private::ChangedIn<#kind, #backend, #private::#lanes>)
        };
        let changes: Vec<_> = self.item.fields.iter().map(lanes).collect();
        let changed = self.bounded(|field| {
            let (ty, changes) = (self.staged(&field.ty), lanes(field));
            quote!(#ty: #changes)
        });
        quote! {
            impl #on_mask #private::ChangedIn<#kind, #backend, #private::OfLanes> for #ty #changed {
                #[inline(always)]
                #[track_caller]
                fn changed(self, old: Self, mask: #kind) -> Self {
                    Self { #(#names: <#types as #changes>::changed(self.#names, old.#names, mask)),* }
                }
            }
        }
    }
}
