//! Tokens out: the function generic over its backend, and for a kernel the type that carries `launch`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Block, GenericParam, Generics, Ident, ItemFn, ReturnType, Stmt};

use crate::body::Stager;
use crate::messages::Errors;
use crate::model::{Model, Passing, Role};

pub(crate) fn run(attribute: TokenStream, item: TokenStream, role: Role) -> TokenStream {
    let item = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#error #item);
        }
    };
    let mut errors = Errors::default();
    let model = Model::new(attribute, item, role, &mut errors);
    let body = body(&model, &mut errors);
    let function = function(&model, &body);
    let kernel = (role == Role::Kernel).then(|| kernel(&model));
    let errors = errors.into_tokens();
    quote!(#errors #function #kernel)
}

/// The staged body. Where there are errors it is empty, so that one mistake is reported once.
fn body(model: &Model, errors: &mut Errors) -> Block {
    let mut block = (*model.item.block).clone();
    let mut stager = Stager::new(model, errors);
    let mut first: Vec<Stmt> = Vec::new();
    for param in &model.params {
        if param.enters(model.role) {
            let name = &param.name;
            let value = stager.entered(&param.ty, &syn::parse_quote!(#name));
            first.push(syn::parse_quote!(let #name = #value;));
        }
        match (param.mutable, param.passing) {
            (true, Passing::Value) => stager.declare(&param.name, &mut first),
            (_, Passing::Exclusive) => stager.exclusive(&param.name),
            _ => stager.plain(&param.name),
        }
    }
    stager.block(&mut block);
    if let ReturnType::Type(_, ty) = &model.item.sig.output
        && model.role == Role::Function
    {
        let value = syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block });
        let value = stager.entered(ty, &value);
        block = syn::parse_quote!({ #value });
    }
    if !errors.is_empty() {
        return syn::parse_quote!({ loop {} });
    }
    first.append(&mut block.stmts);
    block.stmts = first;
    block
}

fn function(model: &Model, body: &Block) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = &model.item;
    let (krate, backend, name) = (&model.krate, &model.backend, &sig.ident);
    let mut generics = sig.generics.clone();
    generics.params.push(syn::parse_quote!(#backend: #krate::__private::Backend));
    let (generics, _, where_clause) = generics.split_for_impl();
    let params = model.params.iter().map(|param| {
        let (ident, ty) = (&param.name, &param.ty);
        if param.enters(model.role) {
            return quote_spanned!(ty.span()=> #ident: impl #krate::__private::Enters<#ty, #backend>);
        }
        let ty = model.staged(&param.full);
        quote!(#ident: #ty)
    });
    let output = match &sig.output {
        ReturnType::Type(arrow, ty) => {
            let ty = model.staged(ty);
            quote!(#arrow #ty)
        }
        ReturnType::Default => quote!(),
    };
    let docs = match model.role {
        // The documentation stands on the type, which is what users call.
        Role::Kernel => {
            let others = attrs.iter().filter(|attr| !is_doc(attr));
            quote!(#[doc(hidden)] #(#others)*)
        }
        Role::Function => quote!(#(#attrs)*),
    };
    quote_spanned! {sig.ident.span()=>
        #docs
        #[inline(always)]
        #[allow(clippy::all, unused_braces, unused_parens, unused_qualifications, unreachable_code)]
        #vis fn #name #generics(#(#params),*) #output #where_clause #body
    }
}

fn is_doc(attr: &Attribute) -> bool {
    attr.path().is_ident("doc")
}

/// The parameters of the kernel's generics as arguments.
fn arguments(generics: &Generics) -> Vec<Ident> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Const(param) => Some(param.ident.clone()),
            _ => None,
        })
        .collect()
}

fn kernel(model: &Model) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = &model.item;
    let (krate, backend, name) = (&model.krate, &model.backend, &sig.ident);
    let private = quote!(#krate::__private);
    let (impl_generics, type_generics, where_clause) = sig.generics.split_for_impl();
    let consts = arguments(&sig.generics);
    let docs = attrs.iter().filter(|attr| is_doc(attr) || attr.path().is_ident("cfg"));
    let types: Vec<_> = model.params.iter().map(|param| &param.ty).collect();
    let params = model.params.iter().map(|param| {
        let (name, ty) = (param.name.to_string(), &param.ty);
        let exclusive = param.passing == Passing::Exclusive;
        quote_spanned! {ty.span()=>
            #private::Param { name: #name, kind: <#ty as #private::Argument>::KIND.by(#exclusive) }
        }
    });
    let passed = model.params.iter().enumerate().map(|(i, param)| {
        let index = syn::Index::from(i);
        match param.passing {
            Passing::Value => quote!(args.#index),
            Passing::Shared => quote!(&args.#index),
            Passing::Exclusive => quote!(&mut args.#index),
        }
    });
    let launch_params = model.params.iter().map(|param| {
        let (name, ty) = (&param.name, &param.full);
        quote!(#name: #ty)
    });
    let launch_args = model.params.iter().map(|param| {
        let name = format_ident!("{}", param.name, span = param.full.span());
        quote_spanned!(param.full.span()=> #private::LaunchArg::into_arg(#name))
    });
    let summary = format!("Runs the kernel `{name}` on every thread of `space` and waits for it.");
    quote! {
        #(#docs)*
        #[allow(non_camel_case_types, dead_code)]
        #[derive(Debug)]
        #vis struct #name #impl_generics #where_clause {
            never: ::core::convert::Infallible,
        }

        impl #impl_generics #private::Kernel for #name #type_generics #where_clause {
            const NAME: &'static str = ::core::stringify!(#name);
            const PARAMS: &'static [#private::Param] = &[#(#params),*];
            type Args<#backend: #private::Backend> = (#(<#types as #private::Argument>::Bound<#backend>,)*);

            #[inline(always)]
            fn bind<#backend: #private::Backend>(
                source: &mut impl #private::ArgSource<#backend>,
            ) -> Self::Args<#backend> {
                let _ = &source;
                (#(<#types as #private::Argument>::bind::<#backend>(source),)*)
            }

            #[inline(always)]
            fn run<#backend: #private::Backend>(args: &mut Self::Args<#backend>) {
                let _ = &args;
                #name::<#(#consts,)* #backend>(#(#passed),*)
            }
        }

        impl #impl_generics #name #type_generics #where_clause {
            /// The kernel as recorded.
            ///
            /// # Errors
            /// If the kernel breaks a limit that shows only when it is recorded.
            #[allow(dead_code)]
            #vis fn ir() -> ::core::result::Result<#private::Function, #krate::Error> {
                ::core::result::Result::Ok(#private::record::<Self>()?)
            }

            /// What the kernel keeps in registers at each point.
            ///
            /// # Errors
            /// If the kernel breaks a limit that shows only when it is recorded.
            #[allow(dead_code)]
            #vis fn registers() -> ::core::result::Result<#krate::RegisterReport, #krate::Error> {
                ::core::result::Result::Ok(#krate::RegisterReport::new(&Self::ir()?))
            }

            #[doc = #summary]
            ///
            /// # Errors
            /// If an argument does not belong to `device`, if the kernel breaks a limit that shows only when it is
            /// recorded, or if the device fails.
            #[allow(clippy::too_many_arguments, dead_code)]
            #vis fn launch(
                device: &#krate::Device,
                space: #krate::ThreadSpace,
                #(#launch_params),*
            ) -> ::core::result::Result<#krate::Event, #krate::Error> {
                #private::launch::<Self>(device, space, &mut [#(#launch_args),*])
            }
        }
    }
}
