//! `#[registers]` of an `enum` without fields: a host value, on which a function decides when it is recorded.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Fields, ItemEnum};

use crate::derives::kept;
use crate::messages::{self, Errors};
use crate::model::Options;

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
    item.attrs = item.attrs.iter().filter_map(|attr| kept(attr, &["Clone", "Copy"])).collect();
    let (krate, name) = (options.krate(Span::call_site()), &item.ident);
    let private = quote!(#krate::__private);
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

            impl<B: #private::Backend> #private::Staged<B> for #name {
                type Ty = Self;
            }

            impl<B: #private::Backend> #private::Declared<B> for #name {
                type Ty = Self;
            }

            impl<B: #private::Backend, const FILE: usize> #private::DeclaredIn<B, FILE> for #name {
                type Ty = Self;
            }

            impl<B: #private::Backend, M> #private::Enters<#name, B, M> for #name {
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

            impl #private::HostMatched<#name> for #name {
                #[inline(always)]
                fn host(self) -> Self {
                    self
                }
            }

            impl<O: #private::CompareOp, B: #private::Backend> #private::Compare<O, #name, B> for #name {
                type Output = bool;
                #[inline(always)]
                fn compare(self, rhs: Self) -> bool {
                    O::host(&(self as isize), &(rhs as isize))
                }
            }

            // `side as usize`
            impl<T> #private::HostCast<T> for #name
            where
                isize: #private::HostCast<T>,
            {
                #[inline(always)]
                fn cast_host(self) -> T {
                    #private::HostCast::cast_host(self as isize)
                }
            }

            impl<T, B: #private::Backend> #private::CastTo<T, B> for #name
            where
                isize: #private::CastTo<T, B>,
            {
                type Output = <isize as #private::CastTo<T, B>>::Output;
                #[inline(always)]
                fn cast(self) -> Self::Output {
                    #private::CastTo::<T, B>::cast(self as isize)
                }
            }
        };
    }
}
