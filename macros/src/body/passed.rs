//! Arguments that the library converts for the parameters of functions and closures.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Token, Type};

use super::alone::starts_small;
use super::built_ins::of_constructor;
use super::elements::Elements;
use super::literals::is_literal;
use super::numbers::is_number_type;
use super::stager::{Name, Stager};
use crate::model::ends;

impl Stager<'_> {
    /// The arguments of a call of a closure that are literals or numbers: with the types of its parameters, which host numbers
    /// and staged numbers enter, and how their elements are found.
    pub(super) fn closure_arguments(&self, call: &ExprCall) -> Vec<(usize, Type, Elements)> {
        let Expr::Path(closure) = &*call.func else { return Vec::new() };
        let Some(Name::Closure { parameters: types, .. }) =
            closure.path.get_ident().and_then(|name| self.lookup(name))
        else {
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
        self.known_function(call).is_other()
            && of_constructor(&name).is_none()
            && starts_small(&name)
            && function.qself.is_none()
            && !self.calls_local(call)
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
        let passed = self.library(span, "passed");
        // rustc gives the literal the elements of the parameter, or `i32` if nothing says them.
        *value = syn::parse_quote_spanned!(value.span()=> #passed(#value, 0));
    }
}
