//! `match`: comparisons for integers, whose types say when they are evaluated; otherwise Rust's own `match`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMatch, Ident, Lit, Pat, RangeLimits, Stmt, UnOp};

use super::around::diverges;
use super::locals::suffix_default;
use super::stager::Stager;
use crate::model::ends;

impl Stager<'_> {
    /// `match`; its value is used or not.
    pub(super) fn matching(&mut self, matched: &mut ExprMatch, value: bool) -> Expr {
        let patterns = || matched.arms.iter().map(|arm| unguarded(&arm.pat));
        let integers =
            patterns().all(|(pat, _)| is_integer(pat)) && patterns().any(|(pat, _)| names_integer(pat));
        let rest = patterns().position(|(pat, guard)| guard.is_none() && takes_all(pat));
        match rest {
            Some(rest) if integers => {
                matched.arms.truncate(rest + 1);
                self.match_integers(matched, value)
            }
            _ => {
                self.match_host(matched, value, integers);
                Expr::Match(matched.clone())
            }
        }
    }

    /// `match` on a host value stays Rust's.
    fn match_host(&mut self, matched: &mut ExprMatch, value: bool, integers: bool) {
        let (shown, _) = ends(&matched.expr);
        self.value(&mut matched.expr);
        if integers {
            let (listed, host) = (self.library(shown, "listed"), &matched.expr);
            *matched.expr = syn::parse_quote_spanned!(shown=> #listed(#host));
        }
        for arm in &mut matched.arms {
            self.scoped(|s| {
                let mut variables = Vec::new();
                s.pattern(&mut arm.pat, &mut variables);
                let mut stmts = Vec::new();
                for ident in variables {
                    s.declare(&ident, &mut stmts);
                }
                s.arm_body(&mut arm.body, value);
                if !stmts.is_empty() {
                    let body = &arm.body;
                    *arm.body = syn::parse_quote!({ #(#stmts)* #body });
                }
            });
        }
    }

    fn arm_body(&mut self, body: &mut Expr, value: bool) {
        if value {
            self.value(body);
        } else {
            self.statement(body, false);
        }
    }

    /// `match` on an integer whose last arm takes everything else: each matching arm leaves the `match`.
    fn match_integers(&mut self, matched: &mut ExprMatch, value: bool) -> Expr {
        let span = matched.match_token.span;
        let (shown, _) = ends(&matched.expr);
        self.value(&mut matched.expr);
        let exit = self.exit(span, "match");
        let value = value && !matched.arms.iter().all(|arm| diverges(&arm.body));
        let slot = value.then(|| self.internal(span, "__slot"));
        let number = self.internal(shown, "__matched");
        let backend = self.backend(shown);
        let last = matched.arms.len() - 1;
        let mut arms = Vec::new();
        for (n, arm) in matched.arms.iter_mut().enumerate() {
            let stays = diverges(&arm.body) || n == last;
            let (condition, mut stmts) = self.scoped(|s| {
                let (pat, guard) = unguarded(&arm.pat);
                let names = bound(pat);
                let mut bindings = Vec::new();
                for (name, _) in &names {
                    s.plain(name);
                    bindings.push(quote_spanned!(name.span()=> let #name = #number;));
                }
                let guard = guard.cloned().map(|mut guard| {
                    s.value(&mut guard);
                    quote!({ #(#bindings)* #guard })
                });
                let condition = s.condition(&number, pat, guard);
                let mut stmts: Vec<Stmt> =
                    bindings.iter().map(|binding| syn::parse_quote!(#binding)).collect();
                for (name, mutable) in &names {
                    if *mutable {
                        s.declare(name, &mut stmts);
                    }
                }
                if slot.is_some() {
                    suffix_default(&mut arm.body);
                }
                let gives = slot.as_ref().filter(|_| !diverges(&arm.body));
                s.arm_body(&mut arm.body, gives.is_some());
                let body = &arm.body;
                match gives {
                    Some(slot) => stmts.extend(s.set(slot, body).stmts),
                    None => stmts.push(syn::parse_quote_spanned!(body.span()=> { #body; })),
                }
                (condition, stmts)
            });
            if !stays {
                stmts.push(Stmt::Expr(self.leave(span, &exit), None));
            }
            let Some(condition) = condition else {
                arms.push(quote!({ #(#stmts)* }));
                continue;
            };
            let branch = self.library(shown, "branch");
            let chosen = self.internal(span, "__arm");
            let iterator = self.internal(shown, "__arms");
            let decided = quote_spanned!(shown=> #branch::<#backend, _>(#condition));
            arms.push(quote_spanned!(span=> {
                let #iterator = #decided;
                for #chosen in #iterator { if #chosen { #(#stmts)* } }
            }));
        }
        let label = exit.label();
        let inside = quote_spanned!(span=> #label { #(#arms)* });
        let scope = self.scope(span, Some(&exit), slot.as_ref(), inside);
        let (case, scrutinee) = (self.library(shown, "matched"), &matched.expr);
        // At the number, so that a wrong type is reported there.
        let value = quote_spanned!(shown=> #case::<#backend, _>(#scrutinee));
        syn::parse_quote_spanned!(span=> { let #number = #value; #scope })
    }

    /// The condition that the number matches the pattern and the guard holds; `None` if it always does.
    fn condition(&self, number: &Ident, pat: &Pat, guard: Option<TokenStream>) -> Option<Expr> {
        let fits = self.fits(number, pat);
        let span = pat.span();
        let (and, backend) = (self.library(span, "and"), self.backend(span));
        match (fits, guard) {
            (Some(fits), Some(guard)) => {
                Some(syn::parse_quote_spanned!(span=> #and::<#backend, _, _>(#fits, || #guard)))
            }
            (None, Some(guard)) => Some(syn::parse_quote_spanned!(span=> #guard)),
            (fits, None) => fits,
        }
    }

    fn fits(&self, number: &Ident, pat: &Pat) -> Option<Expr> {
        let span = ends(pat).0;
        let backend = self.backend(span);
        let compared = |name: &str, bound: &Expr| -> Expr {
            let function = self.library(span, name);
            let number = Ident::new(&number.to_string(), span.resolved_at(number.span()));
            syn::parse_quote_spanned!(span=> #function::<#backend, _>(#number, #bound))
        };
        let joined = |name: &str, a: Expr, b: Expr| -> Expr {
            let function = self.library(span, name);
            syn::parse_quote_spanned!(span=> #function::<#backend, _, _>(#a, || #b))
        };
        match pat {
            Pat::Lit(lit) => Some(compared("is", &Expr::Lit(lit.clone()))),
            Pat::Path(_) => Some(compared("is", &syn::parse_quote!(#pat))),
            Pat::Ident(name) if is_constant(&name.ident) => Some(compared("is", &syn::parse_quote!(#name))),
            Pat::Ident(name) => name.subpat.as_ref().and_then(|(_, sub)| self.fits(number, sub)),
            Pat::Paren(paren) => self.fits(number, &paren.pat),
            Pat::Range(range) => {
                let from = range.start.as_ref().map(|start| compared("is_from", start));
                let end = match range.limits {
                    RangeLimits::HalfOpen(_) => "is_below",
                    RangeLimits::Closed(_) => "is_to",
                };
                let to = range.end.as_ref().map(|bound| compared(end, bound));
                match (from, to) {
                    (Some(from), Some(to)) => Some(joined("and", from, to)),
                    (from, to) => from.or(to),
                }
            }
            Pat::Or(or) => {
                let mut cases = or.cases.iter().map(|case| self.fits(number, case));
                let first = cases.next()??;
                cases.try_fold(first, |all, case| Some(joined("or", all, case?)))
            }
            _ => None,
        }
    }
}

/// A pattern, and its guard if it has one.
fn unguarded(pat: &Pat) -> (&Pat, Option<&Expr>) {
    match pat {
        Pat::Guard(guarded) => (&guarded.pat, Some(&guarded.guard)),
        pat => (pat, None),
    }
}

/// Whether a name has the form of constants, not of values or variants.
fn is_constant(name: &Ident) -> bool {
    let name = name.to_string();
    name.len() > 1 && name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(char::is_lowercase)
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_)),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_number(&unary.expr),
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| is_constant(&last.ident)),
        _ => false,
    }
}

/// Whether a pattern may match integers.
fn is_integer(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Ident(name) => {
            name.by_ref.is_none() && name.subpat.as_ref().is_none_or(|(_, sub)| is_integer(sub))
        }
        Pat::Or(or) => or.cases.iter().all(is_integer),
        Pat::Paren(paren) => is_integer(&paren.pat),
        _ => names_integer(pat),
    }
}

/// Whether a pattern has a number, which only integers match.
fn names_integer(pat: &Pat) -> bool {
    match pat {
        Pat::Lit(lit) => matches!(lit.lit, Lit::Int(_)),
        Pat::Path(path) => path.path.segments.last().is_some_and(|last| is_constant(&last.ident)),
        Pat::Ident(name) => match &name.subpat {
            Some((_, sub)) => names_integer(sub),
            None => is_constant(&name.ident),
        },
        Pat::Range(range) => [&range.start, &range.end].into_iter().flatten().all(|bound| is_number(bound)),
        Pat::Or(or) => or.cases.iter().any(names_integer),
        Pat::Paren(paren) => names_integer(&paren.pat),
        _ => false,
    }
}

/// Whether a pattern of integers matches all of them.
fn takes_all(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Ident(name) => match &name.subpat {
            Some((_, sub)) => takes_all(sub),
            None => !is_constant(&name.ident),
        },
        Pat::Or(or) => or.cases.iter().any(takes_all),
        Pat::Paren(paren) => takes_all(&paren.pat),
        _ => false,
    }
}

/// The names that a pattern of integers binds, and whether each is a variable.
fn bound(pat: &Pat) -> Vec<(Ident, bool)> {
    match pat {
        Pat::Ident(name) if name.subpat.is_some() || !is_constant(&name.ident) => {
            let mut names = vec![(name.ident.clone(), name.mutability.is_some())];
            names.extend(name.subpat.iter().flat_map(|(_, sub)| bound(sub)));
            names
        }
        Pat::Or(or) => or.cases.first().map(bound).unwrap_or_default(),
        Pat::Paren(paren) => bound(&paren.pat),
        _ => Vec::new(),
    }
}
