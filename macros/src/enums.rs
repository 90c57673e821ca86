//! `#[registers]` of an `enum` without fields: a host value, on which a function decides when it is recorded.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Fields, Ident, ItemEnum, Meta};

use crate::declared::Declared;
use crate::derives::{HAD, kept};
use crate::messages::{self, Errors};
use crate::model::{Options, is_condition, unused};

/// The `enum`, and what makes it a value of functions of kernels.
pub(crate) fn expand(options: &Options, mut item: ItemEnum, mut errors: Errors) -> TokenStream {
    for variant in &item.variants {
        if !matches!(variant.fields, Fields::Unit) {
            errors.add(variant.ident.span(), messages::ENUM_FIELDS);
        }
    }
    if !item.generics.params.is_empty() || item.variants.is_empty() {
        errors.add(item.ident.span(), messages::ENUM_FIELDS);
    }
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    item.attrs = item.attrs.iter().filter_map(|attr| kept(attr, &HAD)).collect();
    let short =
        [["B", "CmBackend"], ["M", "CmKind"], ["O", "CmOperator"], ["T", "CmNumber"], ["FILE", "CM_FILE"]];
    let [backend, kind, operator, target, file] = short.map(|names| unused(&quote!(#item), names));
    let number = number(&item.attrs);
    // One that rustc does not leave out, if there is one.
    let certain = item.variants.iter().find(|variant| !variant.attrs.iter().any(is_condition));
    let first = certain.or(item.variants.first()).map(|variant| &variant.ident);
    let (krate, name) = (options.krate(Span::call_site()), &item.ident);
    let private = quote!(#krate::__private);
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
                    Self::#first
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
                    ::core::mem::discriminant(&self) == ::core::mem::discriminant(&pattern)
                }
            }

            impl #private::HostChoice for #name {
                #[inline(always)]
                fn number(self) -> i128 {
                    self as #number as i128
                }
            }

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
        };
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
