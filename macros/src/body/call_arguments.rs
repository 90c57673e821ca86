//! Arguments of calls: literal offsets become types, which `cargo check` can check.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, LitInt, Token, UnOp};

use super::built_in::{Argument, BuiltIn};
use super::built_ins::of_method;
use super::literals::{suffix_default, suffix_large};
use super::stager::Stager;
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// Puts messages in place of refused arguments.
    pub(super) fn refuse_arguments(
        &mut self,
        args: &mut Punctuated<Expr, Token![,]>,
        refused: Vec<(usize, Span, &'static str)>,
    ) {
        for (n, span, message) in refused {
            args[n] = self.errors.in_place(span, message);
        }
    }

    /// The arguments of a call or a method.
    pub(super) fn arguments(&mut self, args: &mut Punctuated<Expr, Token![,]>, known: &BuiltIn) {
        let count = args.len();
        for (n, arg) in args.iter_mut().enumerate() {
            match (known.argument(n, count), arg) {
                (Argument::Start { aligned }, Expr::Tuple(at)) => {
                    for (n, coordinate) in at.elems.iter_mut().enumerate() {
                        match coordinate {
                            Expr::Lit(_) if n == 0 && aligned => self.byte_offset(coordinate),
                            _ => self.value(coordinate),
                        }
                    }
                }
                (Argument::Value, arg)
                    if !self.lanes.is_empty()
                        && let Some(message) = self.refused_argument_in_lanes(arg) =>
                {
                    *arg = self.errors.in_place(ends(arg).0, message);
                }
                (Argument::Value, arg) if known.is_other() => match self.passed_on(arg) {
                    Some(passed_on) => *arg = passed_on,
                    None => self.value(arg),
                },
                (Argument::Value, arg) => {
                    suffix_large(arg);
                    self.value(arg);
                }
                (Argument::Lanes, arg) => {
                    suffix_default(arg);
                    self.value(arg);
                }
                (Argument::Offset, arg) => self.offset(arg),
                (Argument::Bytes | Argument::Start { .. }, arg) => self.byte_offset(arg),
                (Argument::Column, arg) => self.column(arg),
            }
        }
    }

    /// Whether it passes on a `&mut` parameter.
    pub(super) fn is_exclusive(&self, arg: &Expr) -> bool {
        match arg {
            Expr::Paren(paren) => self.is_exclusive(&paren.expr),
            arg => self.exclusive_mark(arg).is_some(),
        }
    }

    /// A value for a place that accepts any type: a conversion must name its type.
    pub(super) fn typed_value(&mut self, expr: &mut Expr) {
        let untyped = untyped_conversion(expr);
        self.value(expr);
        self.refuse_untyped(expr, untyped);
    }

    pub(super) fn refuse_untyped(&mut self, expr: &mut Expr, untyped: Option<Ident>) {
        if let Some(name) = untyped {
            *expr = self.errors.in_place(name.span(), messages::untyped(&name));
        }
    }

    /// A literal offset in bytes becomes a type with its remainder, so that `cargo check` can check the
    /// alignment.
    pub(super) fn byte_offset(&mut self, arg: &mut Expr) {
        match self.literal_bytes(arg) {
            Some(literal) => *arg = literal,
            None => self.offset(arg),
        }
    }

    /// The same for a byte column, which may be negative.
    pub(super) fn column(&mut self, arg: &mut Expr) {
        match self.literal_bytes(arg) {
            Some(literal) => *arg = literal,
            None => self.value(arg),
        }
    }

    pub(super) fn literal_bytes(&self, arg: &Expr) -> Option<Expr> {
        let Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) = arg else { return None };
        // The forms without bounds, which are called there, take numbers.
        if self.model.generic {
            return None;
        }
        let span = int.span();
        let lit = self.library(span, "LitBytes");
        let value = LitInt::new(int.base10_digits(), span);
        // A literal that is not a `u128` is not a constant either, which rustc reports.
        let remainder = value.base10_parse::<u128>().map_or(0, |value| value % 16);
        let remainder = LitInt::new(&remainder.to_string(), span);
        Some(syn::parse_quote_spanned!(span=> #lit::<#value, #remainder>))
    }

    /// A literal offset becomes a type, so that `cargo check` can check it.
    pub(super) fn offset(&mut self, arg: &mut Expr) {
        match arg {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if !self.model.generic => {
                let lit = self.library(int.span(), "Lit");
                let value = LitInt::new(int.base10_digits(), int.span());
                *arg = syn::parse_quote_spanned!(int.span()=> #lit::<#value>);
            }
            Expr::Unary(ExprUnary { op: UnOp::Neg(minus), expr, .. })
                if matches!(&**expr, Expr::Lit(ExprLit { lit: Lit::Int(_), .. })) =>
            {
                *arg = self.errors.in_place(minus.span(), messages::NEGATIVE_OFFSET);
            }
            other => self.value(other),
        }
    }
}

/// The method of `&x.convert()`, where its type is missing.
pub(super) fn untyped_conversion(arg: &Expr) -> Option<Ident> {
    match arg {
        Expr::Reference(reference) => untyped_conversion(&reference.expr),
        Expr::Paren(paren) => untyped_conversion(&paren.expr),
        Expr::MethodCall(call) if of_method(&call.method.to_string()).converts => {
            call.turbofish.is_none().then(|| call.method.clone())
        }
        _ => None,
    }
}
