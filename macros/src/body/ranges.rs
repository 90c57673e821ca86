//! `for`: the type of the range decides what it does.
//!
//! Loops of at most eight iterations between literals are unrolled, so that the offsets in them are constants. So are loops of
//! such loops, with at most nine iterations in all.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{
    Block, Expr, ExprForLoop, ExprLit, ExprLoop, ExprMethodCall, ExprRange, ExprWhile, Ident, Lit,
    RangeLimits,
};

use super::around::{Around, Exit};
use super::contains::contains;
use super::numbers::cast_beside;
use super::stager::Stager;
use crate::model::ends;

impl Stager<'_> {
    pub(super) fn for_loop(&mut self, looped: &mut ExprForLoop) -> Expr {
        let span = looped.for_token.span;
        // Before the bounds are rewritten: only literals count.
        let rounds = unrolled_rounds(looped);
        let label = looped.label.clone();
        let (iterator, left) = self.stepping(looped, |s, variables, body| {
            s.looped(label.as_ref(), span, None, |s| {
                let exits = s.exits;
                s.declared(variables, body);
                // An iterator of Rust goes on after an exit that was recorded only.
                if s.exits > exits {
                    body.stmts.splice(0..0, s.rest_of_arm());
                }
            })
        });
        let body = self.round(span, left.round.as_ref(), &looped.body);
        let (pat, label) = (&looped.pat, left.exit.as_ref().map(Exit::label));
        let steps = Ident::new("__steps", ends(&looped.expr).0);
        if rounds > 0 {
            // The body is repeated as often as it runs: every index is then a constant for the compiler, which itself
            // unrolls only loops with small bodies.
            let round = quote_spanned!(span=>
                if let ::core::option::Option::Some(#pat) = ::core::iter::Iterator::next(&mut #steps) #body
            );
            let rounds = std::iter::repeat_n(round, rounds);
            let mut all = quote_spanned!(span=> let mut #steps = #iterator; #(#rounds)*);
            if let Some(label) = label {
                all = quote_spanned!(span=> #label { #all });
            }
            return self.scope(span, left.exit.as_ref(), None, all);
        }
        // The steps have the span of the range, so that a mistake in it is not reported at the attribute. What they borrow
        // lives as long as they do.
        let all = quote_spanned!(span=> match #iterator { #steps => #label for #pat in #steps #body });
        self.scope(span, left.exit.as_ref(), None, all)
    }

    /// `(a..b).contains(&x)` as the comparisons that it stands for, which take numbers of the kernel and registers, too.
    pub(super) fn contained(&mut self, call: &ExprMethodCall) -> Option<Expr> {
        let (range, value) = contains(call)?;
        let span = call.method.span();
        let mut x: Expr = match value {
            Expr::Reference(reference) => (*reference.expr).clone(),
            reference => syn::parse_quote_spanned!(span=> (*#reference)),
        };
        let (mut start, mut end) = (range.start.clone(), range.end.clone());
        for bound in [&mut start, &mut end].into_iter().flatten() {
            cast_beside(&mut x, bound);
            self.suffix_large_beside(bound, &x);
            self.suffix_large_beside(&mut x, bound);
            self.refuse_unsized_read(bound);
        }
        self.refuse_unsized_read(&mut x);
        // As Rust does: the bounds first.
        for operand in [&mut start, &mut end].into_iter().flatten() {
            self.typed_value(operand);
        }
        self.typed_value(&mut x);
        let (krate, backend) = (self.model.krate(span), self.backend(span));
        let op = |name: &str| {
            let name = Ident::new(name, span);
            quote_spanned!(span=> #krate::__private::ops::#name)
        };
        let below = op(match range.limits {
            RangeLimits::HalfOpen(_) => "Lt",
            RangeLimits::Closed(_) => "Le",
        });
        let (between, beyond) = (self.library(span, "between"), self.library(span, "beyond"));
        Some(match (start, end) {
            (Some(start), Some(end)) => syn::parse_quote_spanned!(span=>
                #between::<#backend, #below, _, _, _, _>(#start, #end, #x)
            ),
            (Some(start), None) => {
                let above = op("Ge");
                syn::parse_quote_spanned!(span=> #beyond::<#backend, #above, _, _>(#start, #x))
            }
            (None, end) => syn::parse_quote_spanned!(span=> #beyond::<#backend, #below, _, _>(#end, #x)),
        })
    }

    /// A `for` loop inside SIMD control flow: it is unrolled, and the active lanes take each iteration.
    pub(super) fn simd_for(&mut self, looped: &mut ExprForLoop) -> Expr {
        let span = looped.for_token.span;
        let (iterator, ()) = self.stepping(looped, |s, variables, body| {
            let mut stmts = Vec::new();
            for ident in variables {
                s.declare(&ident, &mut stmts);
            }
            s.enclosed(Around::Unrolled, |s| s.simd_block(body));
            stmts.append(&mut body.stmts);
            body.stmts = stmts;
        });
        let (pat, body) = (&looped.pat, &looped.body);
        syn::parse_quote_spanned!(span=> for #pat in #iterator #body)
    }

    /// The iterator of a loop. `inside` rewrites the body, where the names of the pattern are bound, of which these are
    /// variables.
    fn stepping<T>(
        &mut self,
        looped: &mut ExprForLoop,
        inside: impl FnOnce(&mut Self, Vec<Ident>, &mut Block) -> T,
    ) -> (TokenStream, T) {
        let (certain, registers) = (self.is_between_numbers(&looped.expr), self.lists_others(&looped.expr));
        let written = looped.expr.clone();
        let iterator = match self.range(&mut looped.expr) {
            Some(range) if self.lanes.is_empty() => range,
            Some(range) => {
                let (shown, _) = ends(&looped.expr);
                let unrolled = self.library(shown, "unrolled");
                quote_spanned!(shown=> #unrolled(#range))
            }
            None => {
                self.iterated(&mut looped.expr);
                looped.expr.to_token_stream()
            }
        };
        let (mut elements, mut copies) = (Vec::new(), Vec::new());
        self.elements_by_reference(&looped.pat, &written, &mut elements);
        let result = self.scoped(|s| {
            let mut variables = Vec::new();
            s.pattern(&mut looped.pat, &mut variables);
            if let (syn::Pat::Ident(name), false) = (&*looped.pat, registers) {
                s.number(&name.ident, certain);
            }
            s.bind_elements(elements, &mut copies);
            inside(s, variables, &mut looped.body)
        });
        for name in copies {
            let (load, backend) = (self.library(name.span(), "load"), self.backend(name.span()));
            let copy = syn::parse_quote_spanned!(name.span()=> let #name = #load::<#backend, _>(&#name););
            looped.body.stmts.insert(0, copy);
        }
        (iterator, result)
    }

    /// `a..b`, `a..=b`, `(a..b).step_by(c)`, `(a..b).rev()` and `(a..b).rev().step_by(c)`.
    fn range(&mut self, expr: &mut Expr) -> Option<TokenStream> {
        let certain = self.is_between_numbers(expr);
        let (ranged, step) = match expr {
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                (&mut *call.receiver, Some(&mut call.args[0]))
            }
            expr => (expr, None),
        };
        let (range, back) = match ranged {
            Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                (range_of(&mut call.receiver)?, true)
            }
            ranged => (range_of(ranged)?, false),
        };
        // Rust's own iterators are right for numbers of the host.
        if (back && certain) || (back || step.is_some()) && matches!(range.limits, RangeLimits::Closed(_)) {
            return None;
        }
        let (Some(start), Some(end)) = (&mut range.start, &mut range.end) else { return None };
        let (shown, _) = ends(&end);
        let follows = (self.may_be_number(end) || self.is_number(end)) && !self.is_number(start);
        let is_open = has_no_type(end) && !self.may_be_number(start);
        self.value(start);
        self.value(end);
        let (mut first, mut last) = (start.to_token_stream(), end.to_token_stream());
        let mut started = quote!();
        let backend = self.backend(shown);
        if follows {
            // The loop variable has the type of the end: a literal takes that of the start, and so does a host number if the
            // start is staged, which only types show.
            let bound = self.library(shown, if is_open { "bound_like" } else { "bound_from" });
            let name = self.internal(shown, "__start");
            started = quote!(let #name = #first;);
            (first, last) = (quote!(#name), quote_spanned!(shown=> #bound::<#backend, _, _>(&#name, #last)));
        }
        let steps = match (range.limits, step) {
            (RangeLimits::HalfOpen(_), Some(step)) => {
                self.value(step);
                let call = self.library(shown, if back { "range_back_by" } else { "range_by" });
                quote_spanned!(shown=> #call::<#backend, _, _, _>(#first, #last, #step))
            }
            (RangeLimits::HalfOpen(_), None) => {
                let call = self.library(shown, if back { "range_back" } else { "range" });
                quote_spanned!(shown=> #call::<#backend, _, _>(#first, #last))
            }
            (RangeLimits::Closed(_), _) => {
                let call = self.library(shown, "range_inclusive");
                quote_spanned!(shown=> #call::<#backend, _, _>(#first, #last))
            }
        };
        Some(if follows { quote!({ #started #steps }) } else { steps })
    }

    /// Whether a loop goes through something, as written, that may not be host numbers: an array of others, the result of a
    /// function, a field.
    fn lists_others(&self, elements: &Expr) -> bool {
        match elements {
            Expr::Paren(paren) => self.lists_others(&paren.expr),
            Expr::Reference(reference) => self.lists_others(&reference.expr),
            Expr::MethodCall(call) if ["iter", "into_iter", "rev"].iter().any(|name| call.method == name) => {
                self.lists_others(&call.receiver)
            }
            Expr::Array(array) => array.elems.iter().any(|elem| !self.may_be_number_as_written(elem)),
            Expr::Call(_) | Expr::Field(_) => true,
            _ => false,
        }
    }

    /// Whether all bounds of a range, as written, are certainly host numbers.
    fn is_between_numbers(&self, range: &Expr) -> bool {
        match range {
            Expr::Paren(paren) => self.is_between_numbers(&paren.expr),
            Expr::MethodCall(call) => self.is_between_numbers(&call.receiver),
            Expr::Range(ExprRange { start: Some(start), end: Some(end), .. }) => {
                self.is_number(start) && self.is_number(end)
            }
            _ => false,
        }
    }
}

/// Whether it is made of literals without a type.
fn has_no_type(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.suffix().is_empty(),
        Expr::Paren(paren) => has_no_type(&paren.expr),
        Expr::Unary(unary) => has_no_type(&unary.expr),
        Expr::Binary(binary) => has_no_type(&binary.left) && has_no_type(&binary.right),
        _ => false,
    }
}

fn range_of(expr: &mut Expr) -> Option<&mut ExprRange> {
    match expr {
        Expr::Paren(paren) => range_of(&mut paren.expr),
        Expr::Range(range) if range.start.is_some() && range.end.is_some() => Some(range),
        _ => None,
    }
}

/// The number of iterations of a loop that must be unrolled, or 0.
fn unrolled_rounds(looped: &mut ExprForLoop) -> usize {
    unrolled(looped).map_or(0, |[own, _]| own)
}

/// The iterations of a loop that must be unrolled, and those of the innermost loops in all of these: few between literals.
fn unrolled(looped: &mut ExprForLoop) -> Option<[usize; 2]> {
    /// Iterations of a loop.
    const MOST: usize = 8;
    /// Iterations of the innermost loops: unrolling others would multiply the code.
    const MOST_INSIDE: usize = 9;
    struct Loops {
        rounds: usize,
        others: bool,
    }
    // It only reads; syn is built without the read-only visitors.
    impl VisitMut for Loops {
        fn visit_expr_for_loop_mut(&mut self, inner: &mut ExprForLoop) {
            match unrolled(inner) {
                Some([_, all]) => self.rounds += all,
                None => self.others = true,
            }
        }
        fn visit_expr_while_mut(&mut self, _: &mut ExprWhile) {
            self.others = true;
        }
        fn visit_expr_loop_mut(&mut self, _: &mut ExprLoop) {
            self.others = true;
        }
    }
    let literal = |bound: &Option<Box<Expr>>| match bound.as_deref() {
        Some(Expr::Lit(ExprLit { lit: Lit::Int(number), .. })) => number.base10_parse::<usize>().ok(),
        _ => None,
    };
    let Expr::Range(range) = &*looped.expr else { return None };
    if !matches!(range.limits, RangeLimits::HalfOpen(_)) {
        return None;
    }
    let rounds = literal(&range.end)?.saturating_sub(literal(&range.start)?);
    let mut inner = Loops { rounds: 0, others: false };
    inner.visit_block_mut(&mut looped.body);
    let all = rounds.saturating_mul(inner.rounds.max(1));
    (!inner.others && rounds <= MOST && all <= MOST_INSIDE).then_some([rounds, all])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rounds_between_literals_are_unrolled() {
        let rounds = |text: &str| unrolled_rounds(&mut syn::parse_str(text).unwrap());
        assert_eq!(rounds("for i in 0..8 { f(i); }"), 8);
        assert_eq!(rounds("for i in 0..9 { f(i); }"), 0);
        assert_eq!(rounds("for i in 0..n { f(i); }"), 0);
        assert_eq!(rounds("for i in 0..3 { for j in 0..3 { f(i, j); } }"), 3);
        assert_eq!(rounds("for i in 0..3 { if i > 0 { for j in 0..3 { f(i, j); } } }"), 3);
        assert_eq!(rounds("for i in 0..2 { for j in 0..5 { f(i, j); } }"), 0);
        assert_eq!(rounds("for i in 0..3 { for j in 0..2 { f(i, j); } for j in 0..2 { g(i, j); } }"), 0);
        assert_eq!(rounds("for i in 0..2 { for j in 0..2 { for k in 0..2 { f(i, j, k); } } }"), 2);
        assert_eq!(rounds("for i in 0..2 { for j in 0..2 { for k in 0..3 { f(i, j, k); } } }"), 0);
        assert_eq!(rounds("for i in 0..3 { for j in 0..i { f(i, j); } }"), 0);
        assert_eq!(rounds("for i in 0..3 { while f(i) {} }"), 0);
    }
}
