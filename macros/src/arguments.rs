//! `#[derive(Arguments)]`: a structure of arguments.
//!
//! A kernel has a second structure with the same fields, whose types are those of a backend. It has references to memory
//! like the first one, so that rustc applies the rules of borrows to the fields.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    ConstParam, Data, DataStruct, DeriveInput, Fields, FieldsNamed, GenericParam, Generics, Ident, Lifetime,
    LifetimeParam, Type, TypeParam, WhereClause,
};

use crate::argument::{Argument, ArgumentList};
use crate::messages::{self, Errors};
use crate::model::{Options, Passing, ends, is_register_type, never_an_argument};
use crate::names::mentions;

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
    let Some(fields) = fields(&input, &mut errors) else { return errors.into_tokens() };
    let arguments = arguments(fields, &options, &mut errors);
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    InKernel::new(&input, &options.krate(Span::call_site()), fields, &arguments).into_tokens()
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
fn fields<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Option<&'a FieldsNamed> {
    match &input.data {
        Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) if !fields.named.is_empty() => {
            Some(fields)
        }
        _ => {
            errors.add(input.ident.span(), messages::ARGUMENTS_FIELDS);
            None
        }
    }
}

/// The fields as arguments, with messages about those that cannot be.
fn arguments<'a>(fields: &'a FieldsNamed, options: &Options, errors: &mut Errors) -> ArgumentList<'a> {
    let mut all = Vec::new();
    for field in &fields.named {
        let Some(name) = &field.ident else { continue };
        let argument = Argument::new(name, &field.ty, |span| options.krate(span));
        if let Some(message) = never_an_argument(argument.ty, argument.passing) {
            errors.add(ends(&field.ty).0, message);
        }
        all.push(argument);
    }
    ArgumentList(all)
}

/// The structure that a kernel has in place of the user's one.
struct InKernel<'a> {
    input: &'a DeriveInput,
    fields: &'a FieldsNamed,
    arguments: &'a ArgumentList<'a>,
    /// The module of the items that only the output of the macros names.
    private: TokenStream,
    name: Ident,
    /// The backend, its last parameter.
    backend: Ident,
    where_clause: WhereClause,
}

impl<'a> InKernel<'a> {
    fn new(
        input: &'a DeriveInput,
        krate: &TokenStream,
        fields: &'a FieldsNamed,
        arguments: &'a ArgumentList<'a>,
    ) -> Self {
        let ident = &input.ident;
        // Messages show the name, so it is short, unless the structure uses that name.
        let backend = if mentions(quote!(#input), "B") { "CmBackend" } else { "B" };
        Self {
            input,
            fields,
            arguments,
            private: quote!(#krate::__private),
            name: format_ident!("{ident}InKernel"),
            backend: Ident::new(backend, Span::call_site()),
            where_clause: where_clause(&input.generics, &arguments.0),
        }
    }

    fn into_tokens(self) -> TokenStream {
        let (definition, staged) = (self.definition(), self.staged());
        let (argument, launch) = (self.argument(), self.launch());
        quote! {
            #[allow(trivial_bounds)]
            const _: () = {
                #definition
                #staged
                #argument
                #launch
            };
        }
    }

    /// The generics of the user's structure and the backend.
    fn generics(&self) -> Generics {
        let (private, backend) = (&self.private, &self.backend);
        let mut generics = self.input.generics.clone();
        generics.params.push(syn::parse_quote!(#backend: #private::Backend));
        generics
    }

    fn definition(&self) -> TokenStream {
        let Self { input, name, where_clause, .. } = self;
        let vis = &input.vis;
        let generics = self.generics();
        let (backend_impl, _, _) = generics.split_for_impl();
        // The structures in this one have one lifetime in a kernel, as this one has.
        let of = input.generics.lifetimes().next().map_or_else(
            || Lifetime::new("'static", Span::mixed_site()),
            |LifetimeParam { lifetime, .. }| lifetime.clone(),
        );
        let fields = self.fields.named.iter().zip(&self.arguments.0).map(|(field, argument)| {
            let (vis, name, reference) = (&field.vis, argument.name, borrow(argument.full));
            let ty = self.field(argument, &of);
            quote!(#vis #name: #reference #ty)
        });
        quote! {
            #[doc(hidden)]
            #[allow(dead_code, missing_debug_implementations, unreachable_pub, clippy::all, clippy::pedantic)]
            #vis struct #name #backend_impl #where_clause {
                #(#fields,)*
            }
        }
    }

    /// The type of a field in a kernel, without its reference.
    fn field(&self, argument: &Argument<'_>, of: &Lifetime) -> TokenStream {
        let Argument { passing, ty, krate, .. } = argument;
        let backend = &self.backend;
        match passing {
            // Only registers have a limit of their size. Other types are named by one trait only.
            Passing::Value if !is_register_type(ty) => argument.item(&quote!(Lent<#of, #backend>)),
            Passing::Value => {
                let (first, last) = ends(ty);
                let generic = self.input.generics.const_params().next().is_some();
                let staged = Ident::new(if generic { "Staged" } else { "Declared" }, first);
                let open = quote_spanned!(first=> <#ty as #krate::__private::#staged<#backend>);
                let close = quote_spanned!(last=> >::Ty);
                quote!(#open #close)
            }
            Passing::Shared | Passing::Exclusive => argument.item(&quote!(Bound<#backend>)),
        }
    }

    /// In a kernel, the user's structure means the other one.
    fn staged(&self) -> TokenStream {
        let Self { input, name, private, backend, where_clause, .. } = self;
        let ident = &input.ident;
        let (_, type_generics, _) = input.generics.split_for_impl();
        let generics = self.generics();
        let (backend_impl, backend_type, _) = generics.split_for_impl();
        // Its registers have the limit of the smallest register file, for kernels with any.
        let file = Ident::new("CM_REGISTER_FILE", Span::mixed_site());
        let mut with_file = generics.clone();
        with_file.params.push(syn::parse_quote!(const #file: usize));
        let (file_impl, _, _) = with_file.split_for_impl();
        let kind = Ident::new("CmKind", Span::mixed_site());
        let mut with_kind = generics.clone();
        with_kind.params.push(syn::parse_quote!(#kind));
        let (kind_impl, _, _) = with_kind.split_for_impl();
        quote! {
            impl #kind_impl #private::Enters<#ident #type_generics, #backend, #kind> for #name #backend_type
            #where_clause
            {
                #[inline(always)]
                fn enter(self) -> Self {
                    self
                }
            }

            impl #backend_impl #private::Staged<#backend> for #ident #type_generics #where_clause {
                type Ty = #name #backend_type;
            }

            impl #backend_impl #private::Declared<#backend> for #ident #type_generics #where_clause {
                type Ty = #name #backend_type;
            }

            impl #file_impl #private::DeclaredIn<#backend, #file> for #ident #type_generics #where_clause {
                type Ty = #name #backend_type;
            }
        }
    }

    /// The user's structure as an argument of kernels.
    fn argument(&self) -> TokenStream {
        let Self { input, arguments, name, private, backend, where_clause, .. } = self;
        let ident = &input.ident;
        let (impl_generics, type_generics, _) = input.generics.split_for_impl();
        let lifetime = lifetime();
        let lent = input.generics.params.iter().map(|param| match param {
            GenericParam::Lifetime(_) => quote!(#lifetime),
            GenericParam::Const(ConstParam { ident, .. }) | GenericParam::Type(TypeParam { ident, .. }) => {
                quote!(#ident)
            }
        });
        let lent = quote!(#name<#(#lent,)* #backend>);
        let [source, bound] = ["source", "bound"].map(|name| Ident::new(name, Span::mixed_site()));
        let bounds = arguments.0.iter().map(|argument| argument.item(&quote!(Bound<#backend>)));
        let params = arguments.params(private);
        let binds = arguments.binds(backend, &source);
        let copies = arguments.copies(backend, &bound);
        let names = arguments.0.iter().map(|argument| argument.name);
        let lends = arguments.lends(backend, &bound);
        quote! {
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
                    #name { #(#names: #lends,)* }
                }
            }
        }
    }

    /// The user's structure as an argument of launches.
    fn launch(&self) -> TokenStream {
        let Self { input, private, where_clause, .. } = self;
        let ident = &input.ident;
        let (_, type_generics, _) = input.generics.split_for_impl();
        let (lifetime, args) = (lifetime(), Ident::new("args", Span::mixed_site()));
        let appends = self.arguments.0.iter().map(|argument| {
            let (name, ty) = (argument.name, argument.ty);
            argument.append(private, &quote!(#ty), [quote!(self.#name), quote!(#args)])
        });
        let mut launched = input.generics.clone();
        for param in launched.lifetimes_mut() {
            param.bounds.push(lifetime.clone());
        }
        launched.params.insert(0, GenericParam::Lifetime(LifetimeParam::new(lifetime.clone())));
        let (launch_impl, _, _) = launched.split_for_impl();
        quote! {
            impl #launch_impl #private::LaunchArgs<#lifetime> for #ident #type_generics #where_clause {
                fn append(self, #args: &mut #private::Args<#lifetime>) {
                    #(#appends)*
                }
            }
        }
    }
}

/// The lifetime of a launch, or of the arguments that a thread lends to the kernel.
fn lifetime() -> Lifetime {
    Lifetime::new("'cm", Span::mixed_site())
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
    for argument in arguments {
        let ty = argument.ty;
        if names().any(|name| mentions(quote!(#ty), &name.to_string())) {
            continue;
        }
        let bound = argument.bound();
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
