//! `#[derive(Arguments)]`: a structure of arguments.
//!
//! A kernel has a second structure with the same fields, whose types are those of a backend. It has references to memory
//! like the first one, so that rustc applies the rules of borrows to the fields.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    ConstParam, Data, DataStruct, DeriveInput, Field, Fields, GenericParam, Generics, Ident, Lifetime,
    LifetimeParam, Type, TypeParam, WhereClause,
};

use crate::expand::{append, argument_of, argument_trait};
use crate::messages::{self, Errors};
use crate::model::{Options, Passing, ends, is_register_type, mentions, never_an_argument, passing};

/// A field: how it is passed, and its type without the reference.
struct Argument<'a> {
    field: &'a Field,
    name: &'a Ident,
    passing: Passing,
    ty: Type,
    krate: TokenStream,
}

impl Argument<'_> {
    /// An item of its type as an argument.
    fn item(&self, item: &TokenStream) -> TokenStream {
        argument_of(&self.krate, &self.ty, self.passing, item)
    }

    /// A call of a function of its type as an argument. It ends at the end of the type.
    fn call(&self, function: &TokenStream, with: &TokenStream) -> TokenStream {
        let (function, last) = (self.item(function), ends(&self.ty).1);
        let call = quote_spanned!(last=> (#with));
        quote!(#function #call)
    }
}

/// The implementations for a structure.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let options = options(&input, &mut errors);
    for param in input.generics.type_params() {
        errors.add(param.span(), messages::ARGUMENTS_GENERICS);
    }
    let arguments = arguments(&input, &options, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    implementations(&input, &options.krate(Span::call_site()), &arguments)
}

/// The options of the last attribute that has some.
fn options(input: &DeriveInput, errors: &mut Errors) -> Options {
    let mut all = Options::default();
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("arguments")) {
        match attr.parse_args::<Options>() {
            Ok(Options { register_file: Some(_), .. }) => errors.add(attr.span(), messages::ARGUMENTS_FILE),
            Ok(options @ Options { krate: Some(_), .. }) => all = options,
            Ok(_) => {}
            Err(error) => errors.push(error),
        }
    }
    all
}

/// The fields, or nothing with a message.
fn arguments<'a>(input: &'a DeriveInput, options: &Options, errors: &mut Errors) -> Vec<Argument<'a>> {
    let mut all = Vec::new();
    let fields = match &input.data {
        Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) if !fields.named.is_empty() => fields,
        _ => {
            errors.add(input.ident.span(), messages::ARGUMENTS_FIELDS);
            return all;
        }
    };
    for field in &fields.named {
        let Some(name) = &field.ident else { continue };
        let (passing, ty) = passing(&field.ty);
        if let Some(message) = never_an_argument(&ty, passing) {
            errors.add(ends(&field.ty).0, message);
        }
        let krate = options.krate(ends(&ty).0);
        all.push(Argument { field, name, passing, ty, krate });
    }
    all
}

fn implementations(input: &DeriveInput, krate: &TokenStream, arguments: &[Argument<'_>]) -> TokenStream {
    let DeriveInput { vis, ident, generics, .. } = input;
    let private = quote!(#krate::__private);
    // Messages show the name, so it is short, unless the structure uses that name.
    let name = if mentions(quote!(#input), "B") { "CmBackend" } else { "B" };
    let backend = Ident::new(name, Span::call_site());
    let in_kernel = format_ident!("{ident}InKernel");
    let (impl_generics, type_generics, _) = generics.split_for_impl();
    let where_clause = where_clause(generics, arguments);
    let staged = Ident::new(
        if generics.const_params().next().is_some() { "Staged" } else { "Declared" },
        ident.span(),
    );
    // The structure in a kernel has the generics of the structure and the backend.
    let mut with_backend = generics.clone();
    with_backend.params.push(syn::parse_quote!(#backend: #private::Backend));
    let (backend_impl, backend_type, _) = with_backend.split_for_impl();
    // Its registers have the limit of the smallest register file, for kernels with any.
    let file = Ident::new("CM_REGISTER_FILE", Span::mixed_site());
    let mut with_file = with_backend.clone();
    with_file.params.push(syn::parse_quote!(const #file: usize));
    let (file_impl, _, _) = with_file.split_for_impl();
    // The structures in this one have one lifetime in a kernel, as this one has.
    let of = generics.lifetimes().next().map_or_else(
        || Lifetime::new("'static", Span::mixed_site()),
        |LifetimeParam { lifetime, .. }| lifetime.clone(),
    );
    let fields = arguments.iter().map(|argument| {
        let Argument { field, name, passing, ty, krate } = argument;
        let ty = match passing {
            // Only registers have a limit of their size. Other types are named by one trait only.
            Passing::Value if !is_register_type(ty) => argument.item(&quote!(Lent<#of, #backend>)),
            Passing::Value => {
                let (first, last) = ends(ty);
                let staged = Ident::new(&staged.to_string(), first);
                let open = quote_spanned!(first=> <#ty as #krate::__private::#staged<#backend>);
                let close = quote_spanned!(last=> >::Ty);
                quote!(#open #close)
            }
            Passing::Shared | Passing::Exclusive => argument.item(&quote!(Bound<#backend>)),
        };
        let (vis, reference) = (&field.vis, borrow(&field.ty));
        quote!(#vis #name: #reference #ty)
    });
    let lifetime = Lifetime::new("'cm", Span::mixed_site());
    let lent = generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(_) => quote!(#lifetime),
        GenericParam::Const(ConstParam { ident, .. }) | GenericParam::Type(TypeParam { ident, .. }) => {
            quote!(#ident)
        }
    });
    let lent = quote!(#in_kernel<#(#lent,)* #backend>);
    let [source, bound, args] = ["source", "bound", "args"].map(|name| Ident::new(name, Span::mixed_site()));
    let bounds = arguments.iter().map(|argument| argument.item(&quote!(Bound<#backend>)));
    let params = arguments.iter().map(|argument| {
        let (name, kind) = (argument.name.to_string(), argument.item(&quote!(KIND)));
        let exclusive = argument.passing == Passing::Exclusive;
        quote!(#private::Param { name: #name, kind: #kind.by(#exclusive) })
    });
    let binds = arguments.iter().map(|argument| argument.call(&quote!(bind::<#backend>), &quote!(#source)));
    let copies = arguments.iter().enumerate().map(|(i, argument)| {
        let index = syn::Index::from(i);
        argument.call(&quote!(copy::<#backend>), &quote!(&#bound.#index))
    });
    let lends = arguments.iter().enumerate().map(|(i, argument)| {
        let (name, index) = (argument.name, syn::Index::from(i));
        let value = match argument.passing {
            Passing::Value => argument.call(&quote!(lend::<#backend>), &quote!(&mut #bound.#index)),
            Passing::Shared => quote!(&#bound.#index),
            Passing::Exclusive => quote!(&mut #bound.#index),
        };
        quote!(#name: #value)
    });
    let appends = arguments.iter().map(|argument| {
        let Argument { field, name, ty, .. } = argument;
        append(&private, (&field.ty, ty), &quote!(#ty), [quote!(self.#name), quote!(#args)])
    });
    let mut launched = generics.clone();
    for param in launched.lifetimes_mut() {
        param.bounds.push(lifetime.clone());
    }
    launched.params.insert(0, GenericParam::Lifetime(LifetimeParam::new(lifetime.clone())));
    let (launch_impl, _, _) = launched.split_for_impl();
    quote! {
        #[allow(trivial_bounds)]
        const _: () = {
            #[doc(hidden)]
            #[allow(dead_code, missing_debug_implementations, unreachable_pub, clippy::all, clippy::pedantic)]
            #vis struct #in_kernel #backend_impl #where_clause {
                #(#fields,)*
            }

            impl #backend_impl #private::Staged<#backend> for #ident #type_generics #where_clause {
                type Ty = #in_kernel #backend_type;
            }

            impl #backend_impl #private::Declared<#backend> for #ident #type_generics #where_clause {
                type Ty = #in_kernel #backend_type;
            }

            impl #file_impl #private::DeclaredIn<#backend, #file> for #ident #type_generics #where_clause {
                type Ty = #in_kernel #backend_type;
            }

            impl #impl_generics #private::Argument<#private::ByValue> for #ident #type_generics #where_clause {
                type Host = Self;
                type Bound<#backend: #private::Backend> = (#(#bounds,)*);
                type Lent<#lifetime, #backend: #private::Backend> = #lent;
                const KIND: #private::ArgumentKind = #private::ArgumentKind::Fields { fields: &[#(#params),*] };

                #[inline(always)]
                fn bind<#backend: #private::Backend>(
                    #source: &mut impl #private::ArgSource<#backend>,
                ) -> Self::Bound<#backend> {
                    (#(#binds,)*)
                }

                #[inline(always)]
                fn copy<#backend: #private::Backend>(#bound: &Self::Bound<#backend>) -> Self::Bound<#backend> {
                    (#(#copies,)*)
                }

                #[inline(always)]
                fn lend<#backend: #private::Backend>(
                    #bound: &mut Self::Bound<#backend>,
                ) -> Self::Lent<'_, #backend> {
                    #in_kernel { #(#lends,)* }
                }
            }

            impl #launch_impl #private::LaunchArgs<#lifetime> for #ident #type_generics #where_clause {
                fn append(self, #args: &mut #private::Args<#lifetime>) {
                    #(#appends)*
                }
            }
        };
    }
}

/// The bounds of the structure, and that the types of the fields are arguments. Each item has these bounds, so that a
/// type that is no argument is reported at the field, once, and not wherever an item uses it. A bound on a parameter
/// would hide the implementation, so types with parameters have none.
fn where_clause(generics: &Generics, arguments: &[Argument<'_>]) -> WhereClause {
    let mut clause = generics.where_clause.clone().unwrap_or_else(|| syn::parse_quote!(where));
    let names = || {
        generics.params.iter().map(|param| match param {
            GenericParam::Lifetime(param) => &param.lifetime.ident,
            GenericParam::Const(param) => &param.ident,
            GenericParam::Type(param) => &param.ident,
        })
    };
    for Argument { ty, krate, passing, .. } in arguments {
        if names().any(|name| mentions(quote!(#ty), &name.to_string())) {
            continue;
        }
        let bound = argument_trait(krate, ends(ty).0, *passing);
        clause.predicates.push(syn::parse_quote!(#ty: #bound));
    }
    clause
}

/// The `&` or `&mut` of a field with its lifetime.
fn borrow(ty: &Type) -> TokenStream {
    match ty {
        Type::Reference(syn::TypeReference { and_token, lifetime, mutability, .. }) => {
            quote!(#and_token #lifetime #mutability)
        }
        _ => quote!(),
    }
}
