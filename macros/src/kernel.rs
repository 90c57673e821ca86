//! The type of a kernel: its implementation for the runtime, and the methods that inspect and launch it.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, GenericParam, Ident, ItemFn};

use crate::argument::{Argument, ArgumentList};
use crate::model::{Model, Param};
use crate::optimised::{Optimisation, inlined, optimisation};

/// The items of a kernel besides its function.
pub(crate) fn items(model: &Model) -> TokenStream {
    let sig = &model.item.sig;
    let (name, krate) = (&sig.ident, model.krate(Span::call_site()));
    let private = quote!(#krate::__private);
    let arguments = ArgumentList(model.params.iter().map(|param| argument(model, param)).collect());
    let kernel = KernelType { model, krate, private, arguments };
    let (impl_generics, type_generics, where_clause) = sig.generics.split_for_impl();
    let (definition, implementation) = (kernel.definition(), kernel.implementation());
    let (inspections, launches) = (kernel.inspections(), kernel.launches());
    let quiet = of_deprecated(model);
    quote! {
        #definition

        #implementation

        #quiet
        impl #impl_generics #name #type_generics #where_clause {
            #inspections
            #launches
        }
    }
}

/// A parameter as an argument.
pub(crate) fn argument<'a>(model: &Model, param: &'a Param) -> Argument<'a> {
    Argument::new(&param.name, &param.full, |span| model.krate(span))
}

/// Whether an attribute of a kernel is one of its type, which users name, and not of the function.
pub(crate) fn is_of_type(attr: &Attribute) -> bool {
    ["doc", "deprecated"].iter().any(|name| attr.path().is_ident(name))
}

/// What keeps rustc from reports of a deprecated kernel in its own implementations.
fn of_deprecated(model: &Model) -> Option<TokenStream> {
    let deprecated = model.item.attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
    deprecated.then(|| quote!(#[allow(deprecated)]))
}

/// A local name of the output. The kernel and its parameters may also have it.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

struct KernelType<'a> {
    model: &'a Model,
    krate: TokenStream,
    /// The module of the items that only the output of the macros names.
    private: TokenStream,
    arguments: ArgumentList<'a>,
}

impl KernelType<'_> {
    /// The module of the type that rustc compiles the kernel with.
    fn unit(&self) -> Ident {
        format_ident!("__{}", self.model.item.sig.ident, span = Span::mixed_site())
    }

    fn definition(&self) -> TokenStream {
        let ItemFn { attrs, vis, sig, .. } = &self.model.item;
        let (name, unit) = (&sig.ident, self.unit());
        let (impl_generics, _, where_clause) = sig.generics.split_for_impl();
        let own = attrs.iter().filter(|attr| is_of_type(attr));
        let mut types = sig.generics.type_params().map(|param| &param.ident).peekable();
        let types = types
            .peek()
            .is_some()
            .then(|| quote!(types: ::core::marker::PhantomData<fn() -> (#(#types,)*)>,));
        quote! {
            #(#own)*
            #[allow(non_camel_case_types, dead_code)]
            #[derive(Debug)]
            #vis struct #name #impl_generics #where_clause {
                never: ::core::convert::Infallible,
                #types
            }

            #[doc(hidden)]
            #[allow(non_snake_case, dead_code, unreachable_pub)]
            mod #unit {
                #[derive(Debug)]
                pub struct Unit;
            }
        }
    }

    /// What the runtime and the recorder call.
    fn implementation(&self) -> TokenStream {
        let Self { model, private, arguments, .. } = self;
        let (name, generics, backend) = (&model.item.sig.ident, &model.item.sig.generics, &model.backend);
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        let named = generics.params.iter().filter_map(|param| match param {
            GenericParam::Const(param) => Some(&param.ident),
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Lifetime(_) => None,
        });
        let [args, source, threads] = ["args", "source", "threads"].map(local);
        let params = arguments.params(private);
        let binds = arguments.binds(backend, &source);
        let copies = arguments.copies(backend, &args);
        let passed = arguments.lends(backend, &args);
        let register_file = model.register_file().map(|bytes| quote!(const REGISTER_FILE: usize = #bytes;));
        let Optimisation { optimised, once, .. } = optimisation();
        let optimised = if optimised { quote!(#private::INLINED) } else { quote!(false) };
        let (inlined, unit, quiet) = (inlined(), self.unit(), of_deprecated(model));
        quote! {
            #quiet
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
                        #name::<#(#named,)* #backend>(#(#passed),*)
                    }
                }
            }
        }
    }

    /// The methods that show what becomes of the kernel.
    fn inspections(&self) -> TokenStream {
        let (krate, private, vis) = (&self.krate, &self.private, &self.model.item.vis);
        quote! {
        /// Returns the recorded kernel. It is printed as text with `{}`. `cm::guide::stages` has an example.
        ///
        /// # Errors
        /// If the kernel breaks a limit that is checked when it is recorded.
        #[allow(dead_code)]
        #vis fn ir() -> ::core::result::Result<#private::Function, #krate::Error> {
            ::core::result::Result::Ok(#private::recording::<Self>()?.function().clone())
        }

        /// Returns the SPIR-V module of the kernel for Gen9: `spirv_for(Target::Gen9)`. It also runs on later GPUs that
        /// have the operations of the kernel: Xe-LP, for example, lacks `f64`, and Ponte Vecchio has no images for surfaces.
        /// `cm::guide::stages` has an example.
        ///
        /// # Errors
        /// Those of `spirv_for`.
        #[allow(dead_code)]
        #vis fn spirv() -> ::core::result::Result<::std::vec::Vec<u32>, #krate::Error> {
            Self::spirv_for(#krate::Target::Gen9)
        }

        /// Returns the SPIR-V module of the kernel for `target`, with surfaces in images. On Ponte Vecchio and from Xe2 on
        /// launches have surfaces in buffers: `cm::spirv::lower_with_linear_surfaces` returns their module. If the kernel
        /// declares a register file that only the large one of the target is large enough for, the module is for that one.
        /// `cm::guide::stages` has an example.
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

        /// Reports the registers that the kernel uses at each line. CM: `-mCM_printregusage`.
        /// `cm::guide::stages` has an example.
        ///
        /// # Errors
        /// If the kernel breaks a limit that is checked when it is recorded.
        #[allow(dead_code)]
        #vis fn registers() -> ::core::result::Result<#krate::RegisterReport, #krate::Error> {
            ::core::result::Result::Ok(#private::recording::<Self>()?.registers().clone())
        }
        }
    }

    /// The methods that run the kernel.
    fn launches(&self) -> TokenStream {
        let (krate, private) = (&self.krate, &self.private);
        let ItemFn { vis, sig, .. } = &self.model.item;
        let [device, space, args] = ["device", "space", "args"].map(local);
        let (mut launch_params, mut launch_args) = (Vec::new(), Vec::new());
        for argument in &self.arguments.0 {
            let (name, full) = (argument.name, argument.full);
            launch_params.push(quote!(#name: #full));
            // If a type is not an argument, `Host` is an error type, which rustc ignores.
            let host = argument.item(&quote!(Host));
            launch_args.push(argument.append(private, &host, [quote!(#name), quote!(&mut #args)]));
        }
        let name = &sig.ident;
        let summary = format!(
            "Runs the kernel `{name}` on every thread of `space`, a `ThreadSpace`, `&MaskedThreadSpace` or `ThreadGroups`, and \
             waits until all threads have completed. CM: `Enqueue` and `WaitForTaskFinished`."
        );
        let enqueued = format!(
            "Queues the kernel `{name}` for every thread of `space`. It has run when the scope ends."
        );
        quote! {
        #[doc = #summary]
        ///
        /// # Errors
        /// If the kernel breaks a limit that is checked when it is recorded (`Error::Record`); if an argument does not fit
        /// the kernel: it belongs to another device, has a format, plane or sampler that an access cannot use, or other rows
        /// than a 2-D block needs; if the device lacks an operation of the kernel or the registers for it, or takes no groups
        /// of this size; if threads of a group race or do not reach a barrier (`Error::Group`, on the CPU); if memory runs
        /// out, or the device reports an error.
        ///
        /// # Panics
        /// If host code of the kernel or the handler of `printf!` panics, or if host code gives another result than it
        /// gave when the kernel was recorded.
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
        /// Those of `launch`. On a GPU the scope returns the errors of the device.
        ///
        /// # Panics
        /// As `launch`.
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
