//! Calls without arguments, which do not show the backend; and what names are by Rust's naming conventions.

use syn::{Expr, ExprCall, Ident};

use super::built_in::BuiltIn;
use super::built_ins::{OTHER, of_function};
use super::stager::Stager;
use crate::model::ends;

impl Stager<'_> {
    /// The row of a call of a function, as written. A name of this body is the user's own, and so is a function with another
    /// number of arguments.
    pub(super) fn known_function(&self, call: &ExprCall) -> &'static BuiltIn {
        let Expr::Path(function) = &*call.func else { return &OTHER };
        let Some(last) = function.path.segments.last() else { return &OTHER };
        let known = of_function(&last.ident.to_string());
        if self.calls_local(call) || !known.may_take(call.args.len()) { &OTHER } else { known }
    }

    /// Whether a call is one of a name of this body.
    pub(super) fn calls_local(&self, call: &ExprCall) -> bool {
        let Expr::Path(function) = &*call.func else { return false };
        function.path.get_ident().is_some_and(|name| self.lookup(name).is_some())
    }

    /// Whether it is a call of a function, as far as its name shows, without arguments.
    pub(super) fn is_called_alone(&self, call: &ExprCall) -> bool {
        let Expr::Path(function) = &*call.func else { return false };
        let mut names = function.path.segments.iter().rev().map(|segment| segment.ident.to_string());
        call.args.is_empty()
            && !self.calls_local(call)
            && self.known_function(call).is_other()
            && function.qself.is_none()
            && names.next().is_some_and(|name| starts_small(&name))
            && names.next().is_none_or(|owner| owner != "Default")
    }

    /// `called(f)` instead of `f()`: the types decide whether the function takes the backend.
    pub(super) fn call_alone(&self, call: &mut ExprCall) {
        let (span, _) = ends(&call.func);
        let (called, backend) = (self.library(span, "called"), self.backend(span));
        call.args.push((*call.func).clone());
        *call.func = syn::parse_quote_spanned!(span=> #called::<#backend, _, _>);
    }
}

/// Whether a name is that of a function or module by Rust's naming conventions.
pub(super) fn starts_small(name: &str) -> bool {
    name.starts_with(|first: char| first.is_lowercase() || first == '_')
}

/// Whether a path is one of a function of a type, by Rust's naming conventions.
pub(super) fn names_type(path: &syn::Path) -> bool {
    path.segments.iter().nth_back(1).is_some_and(|owner| starts_large(&owner.ident))
}

/// Whether it is a call of a function of a type.
pub(super) fn is_function_of_type(call: &ExprCall) -> bool {
    matches!(&*call.func, Expr::Path(function) if function.qself.is_none() && names_type(&function.path))
}

/// Whether a name is that of a type.
pub(super) fn starts_large(name: &Ident) -> bool {
    name.to_string().starts_with(char::is_uppercase)
}

/// Whether it is a call of a function of `math`, which takes registers of any elements.
pub(super) fn is_of_math(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else { return false };
    function.path.segments.iter().nth_back(1).is_some_and(|module| module.ident == "math")
}
