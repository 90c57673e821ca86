//! `printf!` in a body.

use syn::spanned::Spanned;
use syn::{Expr, Macro};

use super::stager::Stager;
use crate::messages;
use crate::printf::Printf;

/// Whether it is a call of `printf!`.
pub(super) fn is_printf(call: &Macro) -> bool {
    call.path.segments.last().is_some_and(|last| last.ident == "printf")
}

impl Stager<'_> {
    /// A call of `printf!`, whose value is `()`.
    pub(super) fn printf(&mut self, call: &Macro) -> Expr {
        let span = call.path.span();
        let mut printf = match call.parse_body::<Printf>() {
            Ok(printf) => printf,
            Err(error) => return self.errors.in_place(error.span(), messages::PRINTF_FORM),
        };
        printf.values().for_each(|value| self.value(value));
        let backend = self.backend(span);
        printf.expand(span, &quote::quote!(#backend), |span, item| self.library(span, item))
    }
}
