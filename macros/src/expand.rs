//! Tokens out: the function generic over its backend, and for a kernel the type that carries `launch`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Block, GenericParam, Generics, Ident, ItemFn, ReturnType, Stmt, Type};

use crate::body::{Elements, Nested, Stager, depth_of_array};
use crate::messages::{self, Errors};
use crate::model::{Model, Param, Passing, Role, ends, with_spans};
use crate::optimised::{Optimisation, optimisation};
use crate::printf::Printf;

pub(crate) fn run(attribute: TokenStream, item: TokenStream, role: Role) -> TokenStream {
    let item = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            let error = match syn::parse2::<syn::Item>(item.clone()) {
                Ok(other) => syn::Error::new(ends(&other).0, messages::NOT_A_FUNCTION).to_compile_error(),
                Err(_) => error.to_compile_error(),
            };
            // The item is kept, so that its uses do not cause further errors.
            return quote!(#error #item);
        }
    };
    let mut errors = Errors::default();
    let model = Model::new(attribute, item, role, &mut errors);
    let sound = errors.is_empty();
    // Even if the signature is wrong: all mistakes are reported at once.
    let body = body(&model, &mut errors);
    if !sound {
        // The signature cannot be used; rustc's messages about an attempt would hide the mistake.
        return errors.into_tokens();
    }
    let function = function(&model, &body, !errors.is_empty());
    let kernel = (role == Role::Kernel).then(|| kernel(&model));
    let errors = errors.into_tokens();
    quote!(#errors #function #kernel)
}

/// The staged body. Messages replace refused parts.
fn body(model: &Model, errors: &mut Errors) -> Block {
    let mut block = (*model.item.block).clone();
    let mut stager = Stager::new(model, errors);
    let mut first: Vec<Stmt> = Vec::new();
    for param in &model.params {
        if param.enters(model.role) {
            let name = &param.name;
            let value = stager.entered(&param.ty, &syn::parse_quote!(#name), Elements::Open);
            first.push(syn::parse_quote!(let #name = #value;));
        }
        if model.role == Role::Kernel && param.passing == Passing::Value {
            // The signature does not say that it fits the register file: calls would repeat the message.
            let (name, host) = (&param.name, argument(model, param, &quote!(Host)));
            let ty = model.staged(&syn::parse_quote!(#host));
            first.push(syn::parse_quote!(let #name: #ty = #name;));
        }
        match (param.mutable, param.passing) {
            (true, Passing::Value) => stager.declare(&param.name, &mut first),
            (_, Passing::Exclusive) => {
                let mark = stager.exclusive(&param.name);
                let (krate, backend) = (model.krate(param.name.span()), &model.backend);
                first.push(syn::parse_quote!(let #mark = #krate::__private::mark::<#backend>();));
            }
            (_, Passing::Shared) => stager.shared(&param.name, param.referent()),
            _ => stager.plain(&param.name),
        }
        if param.passing == Passing::Value && param.is_register() {
            stager.bound_register(true);
        }
        if param.is_register() {
            stager.bound_shape();
        }
        if let Some(depth) = depth_of_array(&param.ty) {
            stager.bound_elements(Nested { depth, typed: true });
        }
    }
    let how = Elements::of_block(&block);
    let result = match &model.item.sig.output {
        ReturnType::Type(_, ty) if model.role == Role::Function => Some(&**ty),
        _ => None,
    };
    let mut block = stager.function_body(result, how, &mut block);
    first.append(&mut block.stmts);
    block.stmts = first;
    block
}

fn function(model: &Model, body: &Block, refused: bool) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = &model.item;
    let (krate, backend, name) = (model.krate(Span::call_site()), &model.backend, &sig.ident);
    let mut generics = sig.generics.clone();
    generics.params.push(syn::parse_quote!(#backend: #krate::__private::Backend));
    let (generics, _, where_clause) = generics.split_for_impl();
    let params = model.params.iter().map(|param| {
        let (ident, ty) = (&param.name, &param.ty);
        if param.enters(model.role) {
            let span = ends(ty).0;
            let krate = model.krate(span);
            return quote_spanned!(span=> #ident: impl #krate::__private::Enters<#ty, #backend>);
        }
        let ty = match model.role {
            Role::Kernel => {
                let item = match param.passing {
                    Passing::Value => quote!(Lent<'_, #backend>),
                    Passing::Shared | Passing::Exclusive => quote!(Bound<#backend>),
                };
                let (ty, reference) = (argument(model, param, &item), reference(&param.full));
                quote!(#reference #ty)
            }
            Role::Function => model.staged(&param.full).into_token_stream(),
        };
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
        // The documentation is on the type, which users name.
        Role::Kernel => {
            let others = attrs.iter().filter(|attr| !is_doc(attr) && !is_inline(attr));
            quote!(#[doc(hidden)] #(#others)*)
        }
        Role::Function => {
            // The macro adds its own, and rustc warns about two.
            let attrs = attrs.iter().filter(|attr| !is_inline(attr));
            quote!(#(#attrs)*)
        }
    };
    let inlined = inlined();
    // Warnings about refused code must not hide the errors.
    let quiet = refused.then(|| quote!(#[allow(unused)]));
    quote_spanned! {sig.ident.span()=>
        #docs
        #quiet
        #inlined
        #[allow(clippy::all, clippy::pedantic)]
        #[allow(unused_braces, unused_parens, unused_qualifications, unreachable_code)]
        #vis fn #name #generics(#(#params),*) #output #where_clause #body
    }
}

/// Kernels and their functions are always inlined in a crate with optimisation; see [`inlined`](crate::inlined).
fn inlined() -> TokenStream {
    if optimisation().optimised { quote!(#[inline(always)]) } else { quote!(#[inline]) }
}

/// An item of the parameter's type as an argument. All items have the span of the type, so that a type that is not an
/// argument is reported once.
fn argument(model: &Model, param: &Param, item: &TokenStream) -> TokenStream {
    argument_of(&model.krate(ends(&param.ty).0), &param.ty, param.passing, item)
}

/// [`argument`] of a type that is passed in this way.
pub(crate) fn argument_of(
    krate: &TokenStream,
    ty: &Type,
    passing: Passing,
    item: &TokenStream,
) -> TokenStream {
    let (first, last) = ends(ty);
    let argument = argument_trait(krate, first, passing);
    let open = quote_spanned!(first=> <#ty as #argument);
    let item = with_spans(item.clone(), |_| last);
    let close = quote_spanned!(last=> >::#item);
    quote!(#open #close)
}

/// The trait of types that are passed in this way, at `span`.
pub(crate) fn argument_trait(krate: &TokenStream, span: Span, passing: Passing) -> TokenStream {
    let passing = Ident::new(if passing == Passing::Value { "ByValue" } else { "ByReference" }, span);
    quote_spanned!(span=> #krate::__private::Argument<#krate::__private::#passing>)
}

/// Appends a value to the arguments of a launch: of a parameter or field that is written as `full`, and without its
/// reference is the argument `ty`, written as `own`.
pub(crate) fn append(
    private: &TokenStream,
    (full, own): (&Type, &Type),
    ty: &TokenStream,
    [value, args]: [TokenStream; 2],
) -> TokenStream {
    // At the type, so that a mistake in it is reported there, and once.
    let reference = with_spans(reference(full), |_| ends(own).0);
    quote!(<#reference #ty as #private::LaunchArgs<'_>>::append(#value, #args);)
}

/// `&` or `&mut` of a parameter, as written: rustc's suggestions are at these tokens.
pub(crate) fn reference(full: &Type) -> TokenStream {
    match full {
        Type::Reference(syn::TypeReference { and_token, mutability, .. }) => quote!(#and_token #mutability),
        _ => quote!(),
    }
}

/// The macro decides whether kernels and their functions are inlined into the code that executes them.
fn is_inline(attr: &Attribute) -> bool {
    attr.path().is_ident("inline")
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
    let (krate, backend, name) = (model.krate(Span::call_site()), &model.backend, &sig.ident);
    let private = quote!(#krate::__private);
    let (impl_generics, type_generics, where_clause) = sig.generics.split_for_impl();
    let consts = arguments(&sig.generics);
    // `cfg` is on both items: they exist together or not at all.
    let docs = attrs.iter().filter(|attr| is_doc(attr) || attr.path().is_ident("cfg"));
    let params = model.params.iter().map(|param| {
        let (name, kind) = (param.name.to_string(), argument(model, param, &quote!(KIND)));
        let exclusive = param.passing == Passing::Exclusive;
        quote!(#private::Param { name: #name, kind: #kind.by(#exclusive) })
    });
    // The kernel and its parameters may also have these names.
    let [device, space, args, source, threads] =
        ["device", "space", "args", "source", "threads"].map(|name| Ident::new(name, Span::mixed_site()));
    // Calls end at the end of the type, so that a type that is not an argument is reported once.
    let binds = model.params.iter().map(|param| {
        let (bind, last) = (argument(model, param, &quote!(bind::<#backend>)), ends(&param.ty).1);
        let call = quote_spanned!(last=> (#source));
        quote!(#bind #call)
    });
    let copies = model.params.iter().enumerate().map(|(i, param)| {
        let (copy, last) = (argument(model, param, &quote!(copy::<#backend>)), ends(&param.ty).1);
        let index = syn::Index::from(i);
        let call = quote_spanned!(last=> (&#args.#index));
        quote!(#copy #call)
    });
    let passed = model.params.iter().enumerate().map(|(i, param)| {
        let index = syn::Index::from(i);
        match param.passing {
            Passing::Value => {
                let (lend, last) = (argument(model, param, &quote!(lend::<#backend>)), ends(&param.ty).1);
                let call = quote_spanned!(last=> (&mut #args.#index));
                quote!(#lend #call)
            }
            Passing::Shared => quote!(&#args.#index),
            Passing::Exclusive => quote!(&mut #args.#index),
        }
    });
    let launch_params: Vec<_> = model
        .params
        .iter()
        .map(|param| {
            let (name, ty) = (&param.name, &param.full);
            quote!(#name: #ty)
        })
        .collect();
    // If a type is not an argument, `Host` is an error type, which rustc ignores.
    let launch_args: Vec<_> = model
        .params
        .iter()
        .map(|param| {
            let (name, ty) = (&param.name, argument(model, param, &quote!(Host)));
            append(&private, (&param.full, &param.ty), &ty, [quote!(#name), quote!(&mut #args)])
        })
        .collect();
    let inlined = inlined();
    let register_file = model.register_file().map(|bytes| quote!(const REGISTER_FILE: usize = #bytes;));
    let Optimisation { optimised, once, .. } = optimisation();
    let optimised = if optimised { quote!(#private::INLINED) } else { quote!(false) };
    let unit = quote::format_ident!("__{name}", span = Span::mixed_site());
    let summary = format!(
        "Runs the kernel `{name}` on every thread of `space`, a `ThreadSpace` or `ThreadGroups`, and waits until it is done."
    );
    let enqueued =
        format!("Queues the kernel `{name}` for every thread of `space`. It has run when the scope ends.");
    quote! {
        #(#docs)*
        #[allow(non_camel_case_types, dead_code)]
        #[derive(Debug)]
        #vis struct #name #impl_generics #where_clause {
            never: ::core::convert::Infallible,
        }

        #[doc(hidden)]
        #[allow(non_snake_case, dead_code, unreachable_pub)]
        mod #unit {
            #[derive(Debug)]
            pub struct Unit;
        }

        impl #impl_generics #private::Kernel for #name #type_generics #where_clause {
            type Unit = #unit::Unit;
            const NAME: &'static str = ::core::stringify!(#name);
            const PLACE: (&'static str, u32, u32) = (::core::file!(), ::core::line!(), ::core::column!());
            const PARAMS: &'static [#private::Param] = &[#(#params),*];
            const OPTIMISED: bool = #optimised;
            const SIMPLIFIED_ONCE: bool = #once;
            #register_file

            #inlined
            fn run<#backend: #private::Backend>(
                #source: &mut impl #private::ArgSource<#backend>,
                #threads: impl ::core::iter::Iterator<Item = ()>,
            ) {
                // A kernel without parameters uses neither.
                let _ = &#source;
                let #args = (#(#binds,)*);
                for () in #threads {
                    let #args = &mut (#(#copies,)*);
                    let _ = &#args;
                    #name::<#(#consts,)* #backend>(#(#passed),*)
                }
            }
        }

        impl #impl_generics #name #type_generics #where_clause {
            /// Returns the recorded kernel. It is printed as text with `{}`.
            ///
            /// # Errors
            /// If the kernel breaks a limit that is checked when it is recorded.
            #[allow(dead_code)]
            #vis fn ir() -> ::core::result::Result<#private::Function, #krate::Error> {
                ::core::result::Result::Ok(#private::recording::<Self>()?.function().clone())
            }

            /// Returns a SPIR-V module of the kernel that is correct on every GPU generation.
            ///
            /// # Errors
            /// If the kernel breaks a limit that is checked when it is recorded.
            #[allow(dead_code)]
            #vis fn spirv() -> ::core::result::Result<::std::vec::Vec<u32>, #krate::Error> {
                Self::spirv_for(#krate::Target::Gen9)
            }

            /// Returns the SPIR-V module of the kernel that is fastest on `target`. If the kernel declares a
            /// register file that only the large one of the target is large enough for, the module is for that one.
            ///
            /// # Errors
            /// If the kernel breaks a limit that is checked when it is recorded, or if the target lacks an
            /// operation or a register file of the size that the kernel declares.
            #[allow(dead_code)]
            #vis fn spirv_for(
                target: #krate::Target,
            ) -> ::core::result::Result<::std::vec::Vec<u32>, #krate::Error> {
                ::core::result::Result::Ok(#private::recording::<Self>()?.smallest_module(target)?.to_vec())
            }

            /// Reports the registers that the kernel uses at each line.
            ///
            /// # Errors
            /// If the kernel breaks a limit that is checked when it is recorded.
            #[allow(dead_code)]
            #vis fn registers() -> ::core::result::Result<#krate::RegisterReport, #krate::Error> {
                ::core::result::Result::Ok(#private::recording::<Self>()?.registers().clone())
            }

            #[doc = #summary]
            ///
            /// # Errors
            /// If the kernel breaks a limit that is checked when it is recorded; if a surface or buffer
            /// belongs to another device, or a surface has a format that does not fit the columns that the
            /// kernel accesses; if the device reports an error.
            ///
            /// # Panics
            /// If host code of the kernel panics, or computes another result than when it was recorded.
            #[allow(clippy::too_many_arguments, dead_code)]
            #vis fn launch(
                #device: &#krate::Device,
                #space: impl #krate::LaunchSpace,
                #(#launch_params),*
            ) -> ::core::result::Result<#krate::Event, #krate::Error> {
                #[allow(unused_mut)]
                let mut #args = #private::Args::new();
                #(#launch_args)*
                #private::launch::<Self>(#device, #space, #args.as_mut_slice())
            }

            #[doc = #enqueued]
            ///
            /// # Errors
            /// The argument errors of `launch`. The scope returns the errors of the device.
            #[allow(clippy::too_many_arguments, dead_code)]
            #vis fn enqueue(
                #device: &#krate::Scope<'_>,
                #space: impl #krate::LaunchSpace,
                #(#launch_params),*
            ) -> ::core::result::Result<#krate::Enqueued, #krate::Error> {
                #[allow(unused_mut)]
                let mut #args = #private::Args::new();
                #(#launch_args)*
                #private::enqueue::<Self>(#device, #space, #args.as_mut_slice())
            }
        }
    }
}

/// `printf!` in plain Rust.
pub(crate) fn printf(tokens: TokenStream) -> TokenStream {
    let span = Span::call_site();
    let backend = quote_spanned!(span=> ::cm::__private::Plain);
    match syn::parse2::<Printf>(tokens) {
        Ok(printf) => {
            let library = |span, item: &str| {
                let item = Ident::new(item, span);
                quote_spanned!(span=> ::cm::__private::#item)
            };
            printf.expand(span, &backend, library).into_token_stream()
        }
        Err(error) => syn::Error::new(error.span(), messages::PRINTF_FORM).to_compile_error(),
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::Item;

    use super::run;
    use crate::model::Role;

    /// Completion works in the remaining body, and rustc finds its other errors.
    #[test]
    fn the_body_stays_beside_what_is_refused() {
        let kernel = quote! {
            fn k(input: &Surface2D, output: &mut Surface2D) {
                let before = input.read::<u8, 8, 32>(0, 0);
                println!("{before:?}");
                for i in 0..9 { after.row(i); other()?; }
                let kept = if before.any() { unsafe { 2 } } else { 1 };
                output.write(0, 0, &before);
            }
        };
        let file: syn::File = syn::parse2(run(quote!(), kernel, Role::Kernel)).expect("items");
        let body = file.items.iter().find_map(|item| match item {
            Item::Fn(function) => Some(&function.block),
            _ => None,
        });
        let body = body.expect("the function is there");
        let text = quote!(#body).to_string();
        assert_eq!(text.matches("compile_error").count(), 3, "{text}");
        for kept in ["let before = input", "after . row", "let kept", "output . write (0 , 0 , & before)"] {
            assert!(text.contains(kept), "`{kept}` is not in {text}");
        }
        assert_eq!(file.items.len(), 5, "the kernel's type, its module and its methods are there too");
    }

    /// A lone semicolon has no token that an error could underline.
    #[test]
    fn empty_statements_are_nothing() {
        let expanded = |kernel| run(quote!(), kernel, Role::Kernel).to_string();
        let text = expanded(quote!(
            fn k(output: &mut Surface2D) {
                output.write(0, 0, &m);
            }
        ));
        assert!(!text.contains("compile_error"), "{text}");
        assert!(
            expanded(quote!(
                fn k() {
                    loop {}
                }
            ))
            .contains("compile_error")
        );
    }
}
