//! `#[registers]` of an `enum`: a host value, on which a function decides when it is recorded. Its fields are host values, too.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Fields, Ident, ItemEnum, Meta, Type, Variant};

use crate::declared::Declared;
use crate::derives::{HAD, kept};
use crate::messages::{self, Errors};
use crate::model::{Options, ends, is_condition, is_register_type};
use crate::names::unused;

/// The `enum`, and what makes it a value of functions of kernels.
pub(crate) fn expand(options: &Options, mut item: ItemEnum, mut errors: Errors) -> TokenStream {
    for field in item.variants.iter().flat_map(|variant| &variant.fields) {
        if has_register(&field.ty) {
            errors.add(ends(&field.ty).0, messages::ENUM_FIELDS);
        }
        if let Some(condition) = field.attrs.iter().find(|attr| is_condition(attr)) {
            errors.add(condition.pound_token.span, messages::CFG_FIELD);
        }
    }
    if !item.generics.params.is_empty() || item.variants.is_empty() {
        errors.add(item.ident.span(), messages::ENUM_GENERICS);
    }
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    item.attrs = item.attrs.iter().filter_map(|attr| kept(attr, &HAD)).collect();
    let short =
        [["B", "CmBackend"], ["M", "CmKind"], ["O", "CmOperator"], ["T", "CmNumber"], ["FILE", "CM_FILE"]];
    let [backend, kind, operator, target, file] = short.map(|names| unused(&quote!(#item), names));
    let (krate, name) = (options.krate(Span::call_site()), &item.ident);
    let private = quote!(#krate::__private);
    let has_fields = item.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit));
    let numbered = (!has_fields).then(|| numbered(&item, &private, &target, &backend));
    let (any, same) = (any_value(&item), item.variants.iter().map(same_value));
    let ty = quote!(#name);
    let names = Declared {
        options,
        generics: &item.generics,
        plain: &ty,
        ty: &ty,
        fields: Vec::new(),
        backend: &backend,
        file: &file,
    };
    let names = names.names();
    quote! {
        #item

        #[allow(clippy::all, clippy::pedantic)]
        const _: () = {
            impl ::core::clone::Clone for #name {
                #[inline(always)]
                fn clone(&self) -> Self {
                    *self
                }
            }

            impl ::core::marker::Copy for #name {}

            #names

            impl<#backend: #private::Backend, #kind> #private::Enters<#name, #backend, #kind> for #name {
                #[inline(always)]
                fn enter(self) -> Self {
                    self
                }
            }

            impl #private::Listed<#name> for #name {
                #[inline(always)]
                fn listed(self) -> Self {
                    self
                }
            }

            // A variable of the host.
            impl<#backend: #private::Backend> #private::Stages<#backend> for #name {
                type Var = Self;
                #[inline(always)]
                fn stage(self) -> Self {
                    self
                }
            }

            impl<#backend: #private::Backend> #private::Stored<#backend> for #name {
                type Name = Self;
                const HOST: bool = true;
                #[inline(always)]
                fn declare(self) -> Self {
                    self
                }
                #[inline(always)]
                fn undefined() -> Self {
                    #any
                }
                #[inline(always)]
                fn load(&self) -> Self {
                    *self
                }
                #[inline(always)]
                fn put(&mut self, value: Self) {
                    *self = value;
                }
            }

            // Refused by `store`, whose message names the alternative.
            impl<#kind, #backend> #private::ChangedIn<#kind, #backend, #private::OfLanes> for #name
            where
                #kind: #private::LaneMask<#backend>,
                #backend: #private::Backend,
            {
                #[inline(always)]
                fn changed(self, _: Self, _: #kind) -> Self {
                    self
                }
            }

            // The names of variants may be in capitals, as those of constants are.
            impl<#backend: #private::Backend> #private::Matched<#backend> for #name {
                type Case = Self;
                #[inline(always)]
                fn case(self) -> Self {
                    self
                }
            }

            impl<#backend: #private::Backend> #private::Compared<#name, #backend> for #name {
                type Matches = bool;
                #[inline(always)]
                fn matches(self, pattern: Self) -> bool {
                    match (self, pattern) {
                        #(#same)*
                        #[allow(unreachable_patterns)]
                        _ => false,
                    }
                }
            }

            impl #private::HostChoice for #name {}

            impl #private::HostMatched<#name> for #name {
                #[inline(always)]
                fn host(self) -> Self {
                    self
                }
            }

            impl<#operator, #backend> #private::Compare<#operator, #name, #backend> for #name
            where
                #operator: #private::HostCompare<#name>,
                #backend: #private::Backend,
            {
                type Output = bool;
                #[inline(always)]
                fn compare(self, rhs: Self) -> bool {
                    #operator::host(&self, &rhs)
                }
            }

            #numbered
        };
    }
}

/// What an `enum` without fields has, too: a number.
fn numbered(item: &ItemEnum, private: &TokenStream, target: &Ident, backend: &Ident) -> TokenStream {
    let (name, number) = (&item.ident, number(&item.attrs));
    quote! {
        impl #private::HostIndex for #name {
            #[inline(always)]
            fn number(self) -> i128 {
                self as #number as i128
            }
        }

        // `side as usize`
        impl<#target> #private::HostCast<#target> for #name
        where
            #number: #private::HostCast<#target>,
        {
            #[inline(always)]
            fn cast_host(self) -> #target {
                #private::HostCast::cast_host(self as #number)
            }
        }

        impl<#target, #backend: #private::Backend> #private::CastTo<#target, #backend> for #name
        where
            #number: #private::CastTo<#target, #backend>,
        {
            type Output = <#number as #private::CastTo<#target, #backend>>::Output;
            #[inline(always)]
            fn cast(self) -> Self::Output {
                #private::CastTo::<#target, #backend>::cast(self as #number)
            }
        }
    }
}

/// Whether a type shows that it has registers.
fn has_register(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => has_register(&array.elem),
        Type::Paren(paren) => has_register(&paren.elem),
        Type::Reference(reference) => has_register(&reference.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(has_register),
        ty => is_register_type(ty),
    }
}

/// A value of the `enum`, of a variant that rustc does not leave out, if there is one, and best of one without fields.
fn any_value(item: &ItemEnum) -> Option<TokenStream> {
    let certain = |variant: &&Variant| !variant.attrs.iter().any(is_condition);
    let plain = |variant: &&Variant| matches!(variant.fields, Fields::Unit);
    let variants = || item.variants.iter();
    let variant = variants().filter(certain).find(plain).or_else(|| variants().find(certain));
    let variant = variant.or_else(|| variants().find(plain)).or_else(|| variants().next())?;
    let (name, fields) = (&variant.ident, variant.fields.members());
    let values = variant.fields.iter().map(|field| {
        // At the type, which may have no value of this kind.
        quote_spanned!(ends(&field.ty).0=> ::core::default::Default::default())
    });
    Some(quote!(Self::#name { #(#fields: #values),* }))
}

/// The arm that compares values of a variant.
fn same_value(variant: &Variant) -> TokenStream {
    let (attrs, name) = (variant.attrs.iter().filter(|attr| is_condition(attr)), &variant.ident);
    let members: Vec<_> = variant.fields.members().collect();
    let [own, others] = ["own", "other"].map(|name| -> Vec<Ident> {
        (0..members.len()).map(|i| format_ident!("{name}{i}", span = Span::mixed_site())).collect()
    });
    let equal = own.iter().zip(&others).zip(&variant.fields).map(|((own, other), field)| {
        let span = ends(&field.ty).0;
        let (own, other) =
            [own, other].map(|name| Ident::new(&name.to_string(), span.resolved_at(name.span()))).into();
        quote_spanned!(span=> #own == #other)
    });
    quote! {
        #(#attrs)*
        (Self::#name { #(#members: #own),* }, Self::#name { #(#members: #others),* }) => true #(&& #equal)*,
    }
}

/// The type of the numbers of its variants: that of its `#[repr]`, or that of Rust.
fn number(attrs: &[Attribute]) -> Ident {
    let written = attrs.iter().filter(|attr| attr.path().is_ident("repr")).find_map(|attr| {
        let Meta::List(list) = &attr.meta else { return None };
        list.tokens.clone().into_iter().find_map(|token| match token {
            TokenTree::Ident(ident) if INTEGERS.iter().any(|name| ident == name) => Some(ident),
            _ => None,
        })
    });
    written.unwrap_or_else(|| Ident::new("isize", Span::call_site()))
}

const INTEGERS: [&str; 12] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
