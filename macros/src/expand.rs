//! Tokens out: the function generic over its backend, and for a kernel the type that carries `launch`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Attribute, Block, Ident, ItemFn, ReturnType, Stmt, Type};

use crate::argument::reference;
use crate::body::{
    Elements, IfLets, Nested, OfMasks, PartConditions, Stager, depth_of_array, is_number_type,
};
use crate::kernel::{self, is_of_type};
use crate::matched::Matches;
use crate::messages::{self, Errors};
use crate::model::{Model, Owner, Param, Passing, Referent, Role, ends, of_register_type};
use crate::names::without_self;
use crate::optimised::inlined;
use crate::printf::Printf;
use crate::unparsed::in_place;

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
    let model = Model::new(attribute, item, role, None, &mut errors);
    staged(&model, errors)
}

/// A function of a structure of registers.
pub(crate) fn of_structure(attribute: TokenStream, item: ItemFn, owner: Owner) -> TokenStream {
    let mut errors = Errors::default();
    let model = Model::new(attribute, item, Role::Function, Some(owner), &mut errors);
    staged(&model, errors)
}

fn staged(model: &Model, mut errors: Errors) -> TokenStream {
    let sound = errors.is_empty();
    // Even if the signature is wrong: all mistakes are reported at once.
    let (body, has_unparsed) = body(model, &mut errors);
    if !sound {
        // The signature cannot be used; rustc's messages about an attempt would hide the mistake.
        return errors.into_tokens();
    }
    let mut function = function(model, &body, !errors.is_empty());
    if has_unparsed {
        function = in_place(function);
    }
    let kernel = (model.role == Role::Kernel).then(|| kernel::items(model));
    let errors = errors.into_tokens();
    quote!(#errors #function #kernel)
}

/// The staged body, and whether it has tokens that are not parsed. Messages replace refused parts.
fn body(model: &Model, errors: &mut Errors) -> (Block, bool) {
    let mut block = (*model.item.block).clone();
    Matches.visit_block_mut(&mut block);
    IfLets.visit_block_mut(&mut block);
    let mut of_parts = PartConditions::default();
    of_parts.visit_block_mut(&mut block.clone());
    let unknown = !of_parts.found.is_empty();
    of_parts.found.into_iter().for_each(|span| errors.add(span, messages::CFG_PART));
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
            let (name, host) = (&param.name, kernel::argument(model, param).item(&quote!(Host)));
            let ty = model.staged(&syn::parse_quote!(#host));
            first.push(syn::parse_quote!(let #name: #ty = #name;));
        }
        match (param.mutable, param.passing) {
            (true, Passing::Value) => stager.declare(&param.name, &mut first),
            (_, Passing::Exclusive) => {
                let mark = stager.exclusive(&param.name);
                if param.is_memory() || param.is_shared_memory() || param.is_register() || param.is_number() {
                    stager.mark_is_staged(&mark);
                }
                let (krate, backend) = (model.krate(param.name.span()), &model.backend);
                first.push(syn::parse_quote!(let #mark = #krate::__private::mark::<#backend>();));
                if param.is_self() {
                    let (krate, own) = (model.krate(param.name.span()), &param.name);
                    first.push(syn::parse_quote!(#krate::__private::changes::<#backend, _>(&*#own);));
                }
            }
            (_, Passing::Shared) => stager.shared(&param.name, Referent::of(&param.ty)),
            _ => stager.plain(&param.name),
        }
        if let Some(Stmt::Local(last)) = first.last_mut()
            && param.is_bound_again(model.role)
        {
            last.attrs.extend(param.attrs.iter().cloned());
        }
        if param.passing == Passing::Value && param.is_register() {
            stager.bound_register(true);
        }
        if param.is_number() && param.passing == Passing::Value {
            stager.bound_scalar(&param.name);
        }
        if param.is_register() {
            stager.bound_shape();
        }
        stager.bound_masks(OfMasks::of_type(&param.ty));
        if param.is_shared_memory() {
            stager.bound_shared_memory();
        }
        if let Some(depth) = depth_of_array(&param.ty) {
            stager.bound_elements(Nested { depth, typed: true });
        }
    }
    if let ReturnType::Type(_, ty) = &model.item.sig.output
        && model.params.is_empty()
        && may_be_host(ty)
    {
        let (krate, ty) = (model.krate(ends(ty).0), model.staged(ty));
        first.push(syn::parse_quote_spanned!(ends(&ty).0=> #krate::__private::shows_backend::<#ty>();));
    }
    let how = stager.how_block_known(&block);
    let result: Option<&Type> = match &model.item.sig.output {
        ReturnType::Type(_, ty) if model.role == Role::Function => Some(ty),
        _ => None,
    };
    let mut block = stager.function_body(result, how, &mut block);
    first.append(&mut block.stmts);
    block.stmts = first;
    if unknown {
        // rustc would count elements and arguments that may not be there.
        block = syn::parse_quote!({ ::core::unreachable!() });
    }
    (block, stager.has_unparsed)
}

fn function(model: &Model, body: &Block, refused: bool) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = &model.item;
    let (krate, backend, name) = (model.krate(Span::call_site()), &model.backend, &sig.ident);
    let mut generics = sig.generics.clone();
    if model.owner.is_none() {
        generics.params.push(syn::parse_quote!(#backend: #krate::__private::Backend));
    } else if !generics.params.is_empty() && !model.params.iter().any(Param::is_self) {
        // Calls cannot tell it from a function with a backend of its own.
        let own = Ident::new(&format!("{backend}Own"), Span::call_site());
        generics.params.push(syn::parse_quote!(#own));
        generics
            .make_where_clause()
            .predicates
            .push(syn::parse_quote!(#backend: #krate::__private::Same<#own>));
    }
    let (generics, _, where_clause) = generics.split_for_impl();
    let params = model.params.iter().map(|param| {
        let (ident, ty) = (&param.name, &param.ty);
        let attrs = param.attrs.iter().filter(|_| !param.is_bound_again(model.role));
        if param.is_self() {
            return match param.passing {
                Passing::Value => quote!(#(#attrs)* #ident),
                Passing::Shared => quote!(#(#attrs)* &#ident),
                Passing::Exclusive => quote!(#(#attrs)* &mut #ident),
            };
        }
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
                let (ty, reference) = (kernel::argument(model, param).item(&item), reference(&param.full));
                quote!(#reference #ty)
            }
            Role::Function => model.staged(&param.full).into_token_stream(),
        };
        quote!(#(#attrs)* #ident: #ty)
    });
    let alone = model.role == Role::Function
        && model.params.is_empty()
        && match &sig.output {
            ReturnType::Type(_, ty) => !shows_backend(ty),
            ReturnType::Default => true,
        };
    let alone = alone.then(|| quote!(_: #krate::__private::On<#backend>));
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
            let others = attrs.iter().filter(|attr| !is_of_type(attr) && !is_inline(attr));
            quote!(#[doc(hidden)] #(#others)*)
        }
        Role::Function => {
            // The macro adds its own, and rustc warns about two.
            let attrs = attrs.iter().filter(|attr| !is_inline(attr));
            quote!(#(#attrs)*)
        }
    };
    let by_value = model.params.iter().find(|param| param.is_self() && param.passing == Passing::Value);
    let body = match by_value {
        Some(param) => with_own_value(model, &param.name, body),
        None => body.to_token_stream(),
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
        #vis fn #name #generics(#(#params),* #alone) #output #where_clause #body
    }
}

/// A body that uses the value which the receiver has at its beginning. The caller may pass a variable, as calls do not show how a
/// receiver is passed.
fn with_own_value(model: &Model, receiver: &Ident, body: &Block) -> TokenStream {
    let (own, body) = without_self(body.to_token_stream());
    let span = receiver.span();
    let (krate, backend) = (model.krate(span), &model.backend);
    quote_spanned!(span=> { #[allow(unused_variables)] let #own = #krate::__private::load::<#backend, _>(&#receiver); #body })
}

/// Whether rustc can find the backend in the result of a function.
fn shows_backend(ty: &Type) -> bool {
    match ty {
        Type::Paren(paren) => shows_backend(&paren.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(shows_backend),
        Type::Array(array) => shows_backend(&array.elem),
        Type::Path(path) => !["bool", "usize", "isize", "Plane"].iter().any(|name| path.path.is_ident(name)),
        _ => true,
    }
}

/// Whether a type may be another name for one of the host.
fn may_be_host(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => shows_backend(ty) && !of_register_type(&path.path) && !is_number_type(ty),
        _ => false,
    }
}

/// The macro decides whether kernels and their functions are inlined into the code that executes them.
fn is_inline(attr: &Attribute) -> bool {
    attr.path().is_ident("inline")
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

    /// On the stack of a thread of Rust.
    #[test]
    fn chains_may_be_long() {
        let chain = |arm: fn(usize) -> String| {
            let arms: String = (0..100).map(|n| format!("if n == {n} {{ {} }} else ", arm(n))).collect();
            format!("{arms} {{ {} }}", arm(100))
        };
        let statement = chain(|n| format!("x += {n};"));
        let value = chain(|n| format!("m + {n}"));
        let numbers = chain(|n| n.to_string());
        let left = chain(|n| if n == 50 { "return".into() } else { format!("m + {n}") });
        let text = format!(
            "fn k(n: i32, m: i32) {{ let mut x = m; {statement} let a: i32 = {value}; let b = {left}; x = {numbers}; }}"
        );
        let expanded = run(quote!(), text.parse().expect("tokens"), Role::Kernel).to_string();
        assert!(!expanded.contains("compile_error"), "{expanded}");
        assert_eq!(expanded.matches("__private :: branch").count(), 400);
    }

    /// Those of integers: rustc reports a float, of which a conversion would cut digits.
    #[test]
    fn literals_beside_integers_are_integers() {
        for (call, expected) in
            [("imul(d, 3)", 1), ("imul(d, 1.5)", 0), ("addc(d, -0.5)", 0), ("fma(x, 1.5, 2)", 2)]
        {
            let text = format!("fn k(d: u32, x: f32) {{ let y = math::{call}; }}");
            let expanded = run(quote!(), text.parse().expect("tokens"), Role::Kernel).to_string();
            assert_eq!(expanded.matches("literal_operand").count(), expected, "{call}: {expanded}");
        }
    }

    /// rustdoc shows the names of parameters that are patterns.
    #[test]
    fn patterns_have_plain_names() {
        let text = "fn f((v, n): (V, i32), [x, ..]: [i32; 3], parameter0: i32) -> V { v }";
        let expanded = run(quote!(), text.parse().expect("tokens"), Role::Function).to_string();
        for shown in ["parameter0_ :", "x :", "parameter0 :"] {
            assert!(expanded.contains(shown), "{shown}: {expanded}");
        }
        assert!(!expanded.contains("__parameter"), "{expanded}");
    }

    /// Their combinations are too many to look at each.
    #[test]
    fn matches_may_have_many_conditions() {
        let tuple = |element: &str| vec![element; 64].join(", ");
        let text = format!(
            "fn k(n: i32) {{ let x = match ({}) {{ ({}) => 1, ({}) => 2, (false, {}) | (true, {}) => 3, _ => 4 }}; }}",
            tuple("n > 3"),
            tuple("true"),
            tuple("false"),
            vec!["_"; 63].join(", "),
            vec!["_"; 63].join(", "),
        );
        let expanded = run(quote!(), text.parse().expect("tokens"), Role::Kernel).to_string();
        assert!(!expanded.contains("compile_error"), "{expanded}");
        // The third pattern takes the rest.
        assert_eq!(expanded.matches("__private :: branch").count(), 2);
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
