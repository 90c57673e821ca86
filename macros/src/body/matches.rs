//! `match`: comparisons for integers, whose types say when they are evaluated; otherwise Rust's own `match`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprIf, ExprLit, ExprMatch, Ident, Lit, Pat, RangeLimits, Stmt, UnOp};

use super::arms::{Leaves, Numbers, into_float};
use super::around::diverges;
use super::locals::{literal, suffix_with};
use super::stager::Stager;
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// `match`; its value is used or not.
    pub(super) fn matching(&mut self, matched: &mut ExprMatch, value: Option<Numbers<'_>>) -> Expr {
        if let Some(mut branch) = as_if(matched) {
            return match value {
                Some(numbers) => self.if_value(&mut branch, numbers),
                None => self.if_statement(&mut branch),
            };
        }
        let patterns = || matched.arms.iter().map(|arm| unguarded(&arm.pat));
        if let Some(float) = patterns().find_map(|(pat, _)| names_float(pat)) {
            return self.errors.in_place(float, messages::MATCH_FLOAT);
        }
        let count = matched_numbers(&matched.expr).len();
        let integers = patterns().all(|(pat, _)| is_integer(pat, count))
            && patterns().any(|(pat, _)| names_integer(pat));
        let rest = patterns().position(|(pat, guard)| guard.is_none() && takes_all(pat));
        match rest {
            Some(rest)
                if integers && !(value.is_some() && self.chooses_memory(&Expr::Match(matched.clone()))) =>
            {
                matched.arms.truncate(rest + 1);
                self.match_integers(matched, value)
            }
            _ => self.match_host(matched, value, integers),
        }
    }

    /// `match` on a host value stays Rust's. If its values are numbers without a type and others, each arm sets a slot.
    fn match_host(&mut self, matched: &mut ExprMatch, value: Option<Numbers<'_>>, integers: bool) -> Expr {
        let span = matched.match_token.span;
        let (shown, _) = ends(&matched.expr);
        let whole = Expr::Match(matched.clone());
        let leaves = Leaves::of(&whole);
        // Host numbers stay host numbers.
        let staged = leaves.are_mixed()
            && matches!(value, Some(Numbers::Others | Numbers::Annotated(_)))
            && Leaves::each(&whole).into_iter().any(|leaf| !self.may_be_number(leaf));
        let slot = value.filter(|_| staged).map(|_| self.internal(span, "__slot"));
        self.value(&mut matched.expr);
        if integers && value.is_some() && self.chooses_memory(&whole) {
            match &mut *matched.expr {
                Expr::Tuple(tuple) => {
                    tuple.elems.iter_mut().for_each(|number| self.host_choice(number, "host_choice"));
                }
                number => self.host_choice(number, "host_choice"),
            }
        } else if integers {
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
                if value.is_some() && slot.is_none() && leaves.floats {
                    into_float(&mut arm.body);
                }
                match (&slot, value) {
                    (Some(slot), Some(numbers)) if !diverges(&arm.body) => {
                        stmts.extend(s.set_arm(slot, &mut arm.body, numbers));
                        *arm.body = syn::parse_quote!({ #(#stmts)* });
                        return;
                    }
                    (None, Some(_)) => s.value(&mut arm.body),
                    _ => s.statement(&mut arm.body, false),
                }
                if !stmts.is_empty() {
                    let body = &arm.body;
                    *arm.body = syn::parse_quote!({ #(#stmts)* #body });
                }
            });
        }
        let Some(slot) = slot else { return Expr::Match(matched.clone()) };
        let (slots, backend) = (self.library(span, "Slot"), self.backend(span));
        syn::parse_quote_spanned!(span=> {
            let mut #slot = #slots::<#backend, _>::new();
            #matched
            #slot.get()
        })
    }

    /// `match` on an integer whose last arm takes everything else: each matching arm leaves the `match`.
    fn match_integers(&mut self, matched: &mut ExprMatch, value: Option<Numbers<'_>>) -> Expr {
        let span = matched.match_token.span;
        let (shown, _) = ends(&matched.expr);
        self.value(&mut matched.expr);
        let exit = self.exit(span, "match");
        let value = value.filter(|_| !matched.arms.iter().all(|arm| diverges(&arm.body)));
        let slot = value.map(|numbers| (self.internal(span, "__slot"), numbers));
        let count = matched_numbers(&matched.expr).len();
        let numbers: Vec<Ident> =
            (0..count).map(|n| self.internal(shown, &format!("__matched{n}"))).collect();
        let backend = self.backend(shown);
        if let Some((span, message)) =
            matched.arms.iter().find_map(|arm| misbound(unguarded(&arm.pat).0, &numbers))
        {
            return self.errors.in_place(span, message);
        }
        let last = matched.arms.len() - 1;
        let mut arms = Vec::new();
        for (n, arm) in matched.arms.iter_mut().enumerate() {
            let stays = diverges(&arm.body) || n == last;
            let (condition, mut stmts) = self.scoped(|s| {
                let (pat, guard) = unguarded(&arm.pat);
                let names = bound(pat, &numbers);
                let mut bindings = Vec::new();
                for (name, _, number) in &names {
                    s.plain(name);
                    bindings.push(quote_spanned!(name.span()=> let #name = #number;));
                }
                // A name may be used only in the guard, or only in the arm.
                let unused = guard.is_some().then(|| quote!(#[allow(unused_variables)]));
                let guard = guard.cloned().map(|mut guard| {
                    s.value(&mut guard);
                    quote!({ #(#unused #bindings)* #guard })
                });
                let condition = s.condition(&numbers, pat, guard);
                let mut stmts: Vec<Stmt> =
                    bindings.iter().map(|binding| syn::parse_quote!(#unused #binding)).collect();
                for (name, mutable, _) in &names {
                    if *mutable {
                        s.declare(name, &mut stmts);
                    }
                }
                match slot.as_ref().filter(|_| !diverges(&arm.body)) {
                    Some((slot, numbers)) => stmts.extend(s.set_arm(slot, &mut arm.body, *numbers)),
                    None => {
                        s.statement(&mut arm.body, false);
                        let body = &arm.body;
                        stmts.push(syn::parse_quote_spanned!(body.span()=> { #body; }));
                    }
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
        let scope = self.scope(span, Some(&exit), slot.as_ref().map(|(slot, _)| slot), inside);
        // At the number, so that a wrong type is reported there.
        let values = matched_numbers(&matched.expr).into_iter().map(|value| {
            let (shown, _) = ends(value);
            let case = self.library(shown, "matched");
            quote_spanned!(shown=> #case::<#backend, _>(#value))
        });
        syn::parse_quote_spanned!(span=> { #(let #numbers = #values;)* #scope })
    }

    /// The condition that the numbers match the pattern and the guard holds; `None` if they always do.
    fn condition(&self, numbers: &[Ident], pat: &Pat, guard: Option<TokenStream>) -> Option<Expr> {
        let fits = self.fit(numbers, pat);
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

    fn fit(&self, numbers: &[Ident], pat: &Pat) -> Option<Expr> {
        let joined = |name: &str, a: Expr, b: Expr| -> Expr {
            let span = ends(pat).0;
            let (function, backend) = (self.library(span, name), self.backend(span));
            syn::parse_quote_spanned!(span=> #function::<#backend, _, _>(#a, || #b))
        };
        match (pat, numbers) {
            (pat, [number]) => self.fits(number, pat),
            (Pat::Tuple(tuple), numbers) => {
                let all = numbers.iter().zip(&tuple.elems).filter_map(|(number, pat)| self.fits(number, pat));
                all.reduce(|all, fits| joined("and", all, fits))
            }
            (Pat::Or(or), numbers) => {
                let mut cases = or.cases.iter().map(|case| self.fit(numbers, case));
                let first = cases.next()??;
                cases.try_fold(first, |any, fits| Some(joined("or", any, fits?)))
            }
            (Pat::Paren(paren), numbers) => self.fit(numbers, &paren.pat),
            _ => None,
        }
    }

    fn fits(&self, number: &Ident, pat: &Pat) -> Option<Expr> {
        let span = ends(pat).0;
        let backend = self.backend(span);
        let compared = |name: &str, bound: &Expr| -> Expr {
            let function = self.library(span, name);
            let number = Ident::new(&number.to_string(), span.resolved_at(number.span()));
            let mut bound = bound.clone();
            suffix_large(&mut bound);
            syn::parse_quote_spanned!(span=> #function::<#backend, _, _>(#number, #bound))
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

/// `match c { true => a, false => b }` as `if c { a } else { b }`.
fn as_if(matched: &ExprMatch) -> Option<ExprIf> {
    let [first, second] = &matched.arms[..] else { return None };
    let known = |pat: &Pat| match pat {
        Pat::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value),
        _ => None,
    };
    let first_is = known(&first.pat)?;
    if known(&second.pat).unwrap_or(!first_is) == first_is
        || !matches!(second.pat, Pat::Wild(_) | Pat::Lit(_))
    {
        return None;
    }
    let (then, other) = if first_is { (first, second) } else { (second, first) };
    let block = |body: &Expr| match body {
        Expr::Block(block) if block.label.is_none() => block.block.clone(),
        body => syn::parse_quote!({ #body }),
    };
    let (cond, then, other) = (&matched.expr, block(&then.body), block(&other.body));
    Some(syn::parse_quote_spanned!(matched.match_token.span=> if #cond #then else #other))
}

/// The numbers that are matched: one, or those of a tuple.
fn matched_numbers(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        number => vec![number],
    }
}

/// A literal that is no `i32`, the type of literals, is an `i64` or a `u64`.
fn suffix_large(bound: &mut Expr) {
    // The minus sign of a negative literal may be part of its token.
    let sign = if matches!(bound, Expr::Unary(_)) { -1 } else { 1 };
    if let Some(Lit::Int(int)) = literal(bound)
        && let Ok(number) = int.base10_parse::<i128>().map(|number| sign * number)
        && i32::try_from(number).is_err()
    {
        let integers = if i64::try_from(number).is_ok() { "i64" } else { "u64" };
        suffix_with(bound, [integers, "f64"]);
    }
}

/// The float of a pattern.
fn names_float(pat: &Pat) -> Option<Span> {
    let float = |expr: &Expr| match literal(&mut expr.clone()) {
        Some(Lit::Float(float)) => Some(float.span()),
        _ => None,
    };
    match pat {
        Pat::Lit(lit) => float(&Expr::Lit(lit.clone())),
        Pat::Range(range) => [&range.start, &range.end].into_iter().flatten().find_map(|bound| float(bound)),
        Pat::Ident(name) => name.subpat.as_ref().and_then(|(_, sub)| names_float(sub)),
        Pat::Or(or) => or.cases.iter().find_map(names_float),
        Pat::Tuple(tuple) => tuple.elems.iter().find_map(names_float),
        Pat::Paren(paren) => names_float(&paren.pat),
        _ => None,
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

/// Whether the bound of a pattern is a number.
fn is_bound(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_)),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_bound(&unary.expr),
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| is_constant(&last.ident)),
        _ => false,
    }
}

/// Whether a pattern may match this number of integers: a single one, or a tuple.
fn is_integer(pat: &Pat, count: usize) -> bool {
    match pat {
        Pat::Tuple(tuple) => {
            count > 1 && tuple.elems.len() == count && tuple.elems.iter().all(|pat| is_integer(pat, 1))
        }
        Pat::Or(or) => or.cases.iter().all(|pat| is_integer(pat, count)),
        Pat::Paren(paren) => is_integer(&paren.pat, count),
        Pat::Wild(_) => true,
        _ if count != 1 => false,
        Pat::Ident(name) => {
            name.by_ref.is_none() && name.subpat.as_ref().is_none_or(|(_, sub)| is_integer(sub, 1))
        }
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
        Pat::Range(range) => [&range.start, &range.end].into_iter().flatten().all(|bound| is_bound(bound)),
        Pat::Or(or) => or.cases.iter().any(names_integer),
        Pat::Tuple(tuple) => tuple.elems.iter().any(names_integer),
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
        Pat::Tuple(tuple) => tuple.elems.iter().all(takes_all),
        Pat::Paren(paren) => takes_all(&paren.pat),
        _ => false,
    }
}

/// Where a pattern binds a name twice, or where its alternatives do not bind the same names to the same numbers.
fn misbound(pat: &Pat, numbers: &[Ident]) -> Option<(Span, &'static str)> {
    let names = bound(pat, numbers);
    let twice =
        names.iter().enumerate().find(|(n, (name, ..))| names[..*n].iter().any(|(other, ..)| other == name));
    if let Some((_, (name, ..))) = twice {
        return Some((name.span(), messages::MATCH_TWICE));
    }
    match pat {
        Pat::Or(or) => {
            let sorted = |case: &Pat| {
                let mut names = bound(case, numbers);
                names.sort_unstable();
                names
            };
            let first = sorted(or.cases.first()?);
            let other = or.cases.iter().find(|case| sorted(case) != first);
            let differs = other.map(|case| (case.span(), messages::MATCH_ALTERNATIVES));
            differs.or_else(|| or.cases.iter().find_map(|case| misbound(case, numbers)))
        }
        Pat::Tuple(tuple) => {
            numbers.chunks(1).zip(&tuple.elems).find_map(|(number, pat)| misbound(pat, number))
        }
        Pat::Ident(name) => name.subpat.as_ref().and_then(|(_, sub)| misbound(sub, numbers)),
        Pat::Paren(paren) => misbound(&paren.pat, numbers),
        _ => None,
    }
}

/// The names that a pattern of these integers binds, whether each is a variable, and its number.
fn bound<'n>(pat: &Pat, numbers: &'n [Ident]) -> Vec<(Ident, bool, &'n Ident)> {
    match (pat, numbers) {
        (Pat::Tuple(tuple), numbers) => {
            numbers.chunks(1).zip(&tuple.elems).flat_map(|(number, pat)| bound(pat, number)).collect()
        }
        (Pat::Ident(name), [number]) if name.subpat.is_some() || !is_constant(&name.ident) => {
            let mut names = vec![(name.ident.clone(), name.mutability.is_some(), number)];
            names.extend(name.subpat.iter().flat_map(|(_, sub)| bound(sub, numbers)));
            names
        }
        (Pat::Or(or), numbers) => or.cases.first().map(|pat| bound(pat, numbers)).unwrap_or_default(),
        (Pat::Paren(paren), numbers) => bound(&paren.pat, numbers),
        _ => Vec::new(),
    }
}
