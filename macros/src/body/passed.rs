//! Arguments that the library converts for the parameters of functions and closures.

use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Index, Stmt, Token, Type};

use super::alone::starts_small;
use super::built_ins::{of_constructor, of_function, of_method, of_sub_groups};
use super::locals::is_literal;
use super::numbers::is_number_type;
use super::stager::{Elements, Name, Stager};
use crate::model::ends;

/// The most arguments of a call that are compared with the parameters.
const MOST_COMPARED: usize = 12;

impl Stager<'_> {
    /// The arguments of a call of a closure that are literals or numbers: with the types of its parameters, which host numbers
    /// and staged numbers enter, and how their elements are found.
    pub(super) fn closure_arguments(&self, call: &ExprCall) -> Vec<(usize, Type, Elements)> {
        let Expr::Path(closure) = &*call.func else { return Vec::new() };
        let Some(Name::Closure(types)) = closure.path.get_ident().and_then(|name| self.lookup(name)) else {
            return Vec::new();
        };
        let entered = call.args.iter().zip(types).enumerate().filter_map(|(n, (arg, ty))| {
            let ty = ty.as_ref()?;
            (is_literal(arg) || is_number_type(ty)).then(|| (n, ty.clone(), Elements::of(arg)))
        });
        entered.collect()
    }

    /// Whether it is a call of a function that is not known, as far as its name shows.
    pub(super) fn calls_function(&self, call: &ExprCall) -> bool {
        let Expr::Path(function) = &*call.func else { return false };
        let Some(last) = function.path.segments.last() else { return false };
        let name = last.ident.to_string();
        let is_local = function.path.get_ident().is_some_and(|name| self.lookup(name).is_some());
        of_function(&name).is_other()
            && of_constructor(&name).is_none()
            && starts_small(&name)
            && function.qself.is_none()
            && !is_local
    }

    /// The arguments that are combinations of comparisons with registers, as written.
    pub(super) fn masks(&self, args: &Punctuated<Expr, Token![,]>) -> Vec<usize> {
        let is_mask = |arg: &Expr| {
            let value = match arg {
                Expr::Reference(reference) if reference.mutability.is_none() => &reference.expr,
                arg => arg,
            };
            Elements::of(value) == Elements::Masks && self.compares_any_register(value)
        };
        (0..args.len()).filter(|n| is_mask(&args[*n])).collect()
    }

    /// The arguments of a call of a function that are registers whose types rustc knows, as written.
    pub(super) fn typed_arguments(&self, call: &ExprCall) -> Vec<usize> {
        let of_library = is_of_math(call) || is_of_sub_groups(call);
        if !self.calls_function(call) || of_library || call.args.len() > MOST_COMPARED {
            return Vec::new();
        }
        let masks = self.masks(&call.args);
        let is_typed = |n: usize| {
            let value = match &call.args[n] {
                Expr::Reference(reference) if reference.mutability.is_none() => &reference.expr,
                arg => arg,
            };
            !masks.contains(&n)
                && self.is_register(value)
                && self.is_typed_register(value)
                && !is_untyped(value)
        };
        (0..call.args.len()).filter(|n| is_typed(*n)).collect()
    }

    /// Compares these arguments with the parameters of the function: rustc's own message about another type would not name the
    /// remedy. Returns the statements before the call.
    pub(super) fn compare_arguments(&self, call: &mut ExprCall, typed: &[usize]) -> Vec<Stmt> {
        if typed.is_empty() {
            return Vec::new();
        }
        let span = match &*call.func {
            Expr::Path(function) => function.path.segments.last().map(|last| last.ident.span()),
            _ => None,
        };
        let span = span.unwrap_or_else(|| call.func.span());
        let [function, parameters] = ["__function", "__parameters"].map(|name| self.internal(span, name));
        for n in typed {
            let arg = &mut call.args[*n];
            let (argument, n) = (self.library(ends(arg).0, "argument"), Index::from(*n));
            *arg = syn::parse_quote_spanned!(arg.span()=> #argument(#parameters.#n, #arg));
        }
        let called = std::mem::replace(&mut *call.func, syn::parse_quote_spanned!(span=> #function));
        let of = self.library(span, "parameters");
        let types = call.args.iter().map(|_| quote!(_,));
        vec![
            syn::parse_quote_spanned!(span=> let #function = #called;),
            syn::parse_quote_spanned!(span=> let #parameters = #of::<(#(#types)*), _>(&#function);),
        ]
    }

    fn compares_any_register(&self, value: &Expr) -> bool {
        match value {
            Expr::Paren(paren) => self.compares_any_register(&paren.expr),
            Expr::Binary(binary) => {
                self.compares_any_register(&binary.left) || self.compares_any_register(&binary.right)
            }
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_any_register(name)),
            value => self.is_register(value),
        }
    }

    /// A combination of comparisons as an argument, which may be a mask.
    pub(super) fn pass_mask(&self, arg: &mut Expr) {
        let value = match arg {
            Expr::Reference(reference) => &mut *reference.expr,
            arg => arg,
        };
        let (span, _) = ends(value);
        let (passed, backend) = (self.library(span, "passed"), self.backend(span));
        *value = syn::parse_quote_spanned!(value.span()=> #passed::<#backend, _, _>(#value));
    }
}

/// Whether it is a conversion whose type follows from the parameter.
fn is_untyped(value: &Expr) -> bool {
    match value {
        Expr::Paren(paren) => is_untyped(&paren.expr),
        Expr::MethodCall(call) => of_method(&call.method.to_string()).converts && call.turbofish.is_none(),
        _ => false,
    }
}

/// Whether it is a call of a function of sub-groups, whose messages name its bounds.
fn is_of_sub_groups(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else { return false };
    function.path.segments.last().is_some_and(|last| of_sub_groups(&last.ident.to_string()).is_some())
}

/// Whether it is a call of a function of `math`, which takes registers of any elements.
pub(super) fn is_of_math(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else { return false };
    function.path.segments.iter().nth_back(1).is_some_and(|module| module.ident == "math")
}
