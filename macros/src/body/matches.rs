//! `match`: comparisons for integers and conditions, whose types say when they are evaluated; otherwise Rust's own `match`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Arm, Expr, ExprIf, ExprLit, ExprMatch, Ident, Lit, Pat, RangeLimits, Stmt};

use super::arms::Leaves;
use super::around::{Around, Numbers, diverges};
use super::literals::suffix_large;
use super::patterns::{
    Kind, bound, count_of, is_constant, kinds, kinds_of_tuple, last_needed, misbound, names_float,
    one_arm_each, unguarded,
};
use super::stager::Stager;
use super::statements::block_of;
use crate::messages;
use crate::model::{ends, is_condition};

impl Stager<'_> {
    /// `match`; its value is used or not.
    pub(super) fn matching(&mut self, matched: &mut ExprMatch, value: Option<&Numbers>) -> Expr {
        let attrs = matched.arms.iter().flat_map(|arm| &arm.attrs);
        let conditional = attrs.filter(|attr| is_condition(attr)).map(|attr| ends(attr).0).next();
        if let Some(mut branch) = as_if(matched).filter(|_| conditional.is_none()) {
            return match value {
                Some(numbers) => self.if_value(&mut branch, numbers),
                None => self.if_statement(&mut branch),
            };
        }
        let written = match &*matched.expr {
            Expr::Tuple(tuple) => Some(tuple.elems.len()),
            _ => None,
        };
        let count = written.unwrap_or_else(|| count_of(&matched.arms));
        matched.arms =
            std::mem::take(&mut matched.arms).into_iter().flat_map(|arm| one_arm_each(arm, count)).collect();
        let patterns: Vec<_> = matched.arms.iter().map(|arm| unguarded(&arm.pat)).collect();
        if let Some(float) = patterns.iter().find_map(|(pat, _)| names_float(pat)) {
            return self.errors.in_place(float, messages::MATCH_FLOAT);
        }
        let kinds = kinds(&patterns, count).filter(|kinds| self.decides(matched, kinds));
        let Some(kinds) = kinds else { return self.match_host(matched, value, None) };
        let rest = last_needed(&patterns, &kinds);
        let of_memory = value.is_some() && self.chooses_memory(&Expr::Match(matched.clone()));
        if rest.is_none() && kinds.iter().all(|kind| *kind == Kind::Anything) {
            return self.errors.in_place(matched.match_token.span, messages::MATCH_REST);
        }
        match rest {
            // The macro sees arms that rustc does not.
            Some(_) if !of_memory && let Some(span) = conditional => {
                self.errors.in_place(span, messages::MATCH_CFG)
            }
            Some(rest) if !of_memory => self.match_cases(matched, &kinds, rest, value),
            _ => self.match_host(matched, value, Some(&kinds)),
        }
    }

    /// Whether the kernel decides on values of these kinds: not on names for host numbers alone.
    fn decides(&self, matched: &ExprMatch, kinds: &[Kind]) -> bool {
        let guarded = matched.arms.iter().any(|arm| unguarded(&arm.pat).1.is_some());
        let host = matched_values(&matched.expr).into_iter().all(|value| self.is_number(value));
        kinds.iter().any(|kind| *kind != Kind::Anything) || guarded && !host
    }

    /// `match` on a host value stays Rust's. If its values are numbers without a type and others, each arm sets a slot.
    fn match_host(
        &mut self,
        matched: &mut ExprMatch,
        value: Option<&Numbers>,
        kinds: Option<&[Kind]>,
    ) -> Expr {
        let span = matched.match_token.span;
        let whole = Expr::Match(matched.clone());
        let leaves = Leaves::of(&whole);
        // Host numbers stay host numbers.
        let mixed = leaves.are_mixed() && matches!(value, Some(Numbers::Others | Numbers::Annotated(_)));
        let mut staged = (mixed || matches!(value, Some(Numbers::Masks)))
            && Leaves::each(&whole).into_iter().any(|leaf| !self.may_be_number(leaf));
        // An arm that leaves has no value where the kernel is recorded: there the statements behind it are recorded, too.
        staged |= value.is_some() && matched.arms.iter().any(|arm| diverges(&arm.body)) && !diverges(&whole);
        let slot = value.filter(|_| staged).map(|_| self.internal(span, "__slot"));
        let numbers = value.map(|numbers| match (numbers, &slot) {
            // Their type may be known only where rustc knows that of all arms.
            (Numbers::Alone { .. } | Numbers::InTuples(_), None) => {
                self.at_place_of_host(&Leaves::each(&whole))
            }
            (numbers, _) => numbers.clone(),
        });
        self.value(&mut matched.expr);
        let function = match kinds {
            Some(_) if value.is_some() && self.chooses_memory(&whole) => "host_choice",
            Some(_) => "listed",
            None => "host_matched",
        };
        let of_tuple = kinds_of_tuple(&matched.arms);
        match &mut *matched.expr {
            Expr::Tuple(tuple) => {
                let known = kinds.unwrap_or(&of_tuple).iter().chain(std::iter::repeat(&Kind::Anything));
                let values = tuple.elems.iter_mut().zip(known).filter(|(_, kind)| **kind != Kind::Anything);
                values.for_each(|(value, _)| self.host_choice(value, function));
            }
            value if kinds.is_some_and(|kinds| kinds.len() == 1 && kinds[0] != Kind::Anything) => {
                self.host_choice(value, function);
            }
            _ => {}
        }
        for arm in &mut matched.arms {
            self.scoped(|s| {
                let mut variables = Vec::new();
                s.pattern(&mut arm.pat, &mut variables);
                let mut stmts = Vec::new();
                for ident in variables {
                    s.declare(&ident, &mut stmts);
                }
                match (&slot, &numbers) {
                    (Some(slot), Some(numbers)) if !diverges(&arm.body) => {
                        stmts.extend(s.set_arm(slot, &mut arm.body, numbers));
                        *arm.body = syn::parse_quote!({ #(#stmts)* });
                        return;
                    }
                    (None, Some(numbers)) => s.host_arm(&mut arm.body, numbers),
                    _ => s.statement(&mut arm.body, false),
                }
                if !stmts.is_empty() {
                    *arm.body = block_of(stmts, (*arm.body).clone());
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

    /// `match` on integers and conditions whose arms take all there are: each matching arm leaves the `match`. No value
    /// reaches the arms behind `rest`, which rustc only checks.
    fn match_cases(
        &mut self,
        matched: &mut ExprMatch,
        kinds: &[Kind],
        rest: usize,
        value: Option<&Numbers>,
    ) -> Expr {
        let span = matched.match_token.span;
        let (shown, _) = ends(&matched.expr);
        self.value(&mut matched.expr);
        let exit = self.exit(span, "match");
        let value = value.filter(|_| !matched.arms.iter().all(|arm| diverges(&arm.body)));
        let slot = value.map(|numbers| (self.internal(span, "__slot"), numbers));
        let numbers: Vec<Ident> =
            (0..kinds.len()).map(|n| self.internal(shown, &format!("__matched{n}"))).collect();
        let backend = self.backend(shown);
        if let Some((span, message)) =
            matched.arms.iter().find_map(|arm| misbound(unguarded(&arm.pat).0, &numbers))
        {
            return self.errors.in_place(span, message);
        }
        let last = ends(&matched.arms[rest].pat).0;
        let mut arms = Vec::new();
        for (n, arm) in matched.arms.iter_mut().enumerate() {
            let reached = ends(&arm.pat).0;
            let stays = diverges(&arm.body) || n >= rest;
            let (condition, mut stmts) = self.case(arm, &numbers, slot.as_ref());
            if !stays {
                stmts.push(Stmt::Expr(self.leave(span, &exit), None));
            }
            match condition {
                // rustc says that no value reaches it.
                condition if n > rest => {
                    let taken = quote_spanned!(last=> ());
                    let never = quote_spanned!(reached=> _);
                    let tested = condition.map(|condition| quote!(let _ = #condition;));
                    arms.push(quote!(match () { #taken => {} #never => { #tested #(#stmts)* } }));
                }
                Some(condition) if n < rest => {
                    let branch = self.library(shown, "branch");
                    let chosen = self.internal(span, "__arm");
                    let iterator = self.internal(shown, "__arms");
                    let decided = quote_spanned!(shown=> #branch::<#backend, _>(#condition));
                    arms.push(quote_spanned!(span=> {
                        let #iterator = #decided;
                        for #chosen in #iterator { if #chosen { #(#stmts)* } }
                    }));
                }
                _ => arms.push(quote!({ #(#stmts)* })),
            }
        }
        let label = exit.label();
        let inside = quote_spanned!(span=> #label { #(#arms)* });
        let scope = self.scope(span, Some(&exit), slot.as_ref().map(|(slot, _)| slot), inside);
        let values = self.cases(&matched.expr, &numbers, kinds);
        syn::parse_quote_spanned!(span=> { #values #scope })
    }

    /// The condition of an arm, if it has one, and its statements.
    fn case(
        &mut self,
        arm: &mut Arm,
        numbers: &[Ident],
        slot: Option<&(Ident, &Numbers)>,
    ) -> (Option<Expr>, Vec<Stmt>) {
        self.scoped(|s| {
            let (pat, guard) = unguarded(&arm.pat);
            let names = bound(pat, numbers);
            let mut bindings = Vec::new();
            for (name, _, number) in &names {
                s.plain(name);
                bindings.push(quote_spanned!(name.span()=> let #name = #number;));
            }
            // A name may be used only in the guard, or only in the arm.
            let unused = guard.is_some().then(|| quote!(#[allow(unused_variables)]));
            let guard = guard.cloned().map(|mut guard| {
                s.enclosed(Around::Condition, |s| s.value(&mut guard));
                quote!({ #(#unused #bindings)* #guard })
            });
            let condition = s.condition(numbers, pat, guard);
            let mut stmts: Vec<Stmt> =
                bindings.iter().map(|binding| syn::parse_quote!(#unused #binding)).collect();
            for (name, mutable, _) in &names {
                if *mutable {
                    s.declare(name, &mut stmts);
                }
            }
            let mut exit = s.exit(ends(&arm.pat).0, "arm");
            match slot.filter(|_| !diverges(&arm.body)) {
                Some((slot, numbers)) => {
                    stmts.extend(s.in_arm(&mut exit, |s| s.set_arm(slot, &mut arm.body, numbers)));
                }
                None => {
                    s.in_arm(&mut exit, |s| s.statement(&mut arm.body, false));
                    let body = &arm.body;
                    stmts.push(syn::parse_quote_spanned!(body.span()=> { #body; }));
                }
            }
            if let Some(label) = exit.if_used().map(|exit| exit.label()) {
                stmts = vec![syn::parse_quote!(#label { #(#stmts)* })];
            }
            (condition, stmts)
        })
    }

    /// The matched values by their names, as what the patterns are compared with.
    fn cases(&self, matched: &Expr, numbers: &[Ident], kinds: &[Kind]) -> TokenStream {
        let backend = self.backend(ends(matched).0);
        // At the value, so that a wrong type is reported there.
        let case = |value: &dyn quote::ToTokens, kind: Kind| {
            let (shown, _) = ends(&value);
            let function = match kind {
                Kind::Integer => "matched",
                Kind::Condition => "decided",
                Kind::Anything => return quote!(#value),
            };
            let function = self.library(shown, function);
            quote_spanned!(shown=> #function::<#backend, _>(#value))
        };
        let values = matched_values(matched);
        if values.len() == numbers.len() {
            let cases = values.into_iter().zip(kinds).map(|(value, kind)| case(value, *kind));
            return quote!(#(let #numbers = #cases;)*);
        }
        let cases = numbers.iter().zip(kinds).map(|(number, kind)| case(number, *kind));
        quote!(let (#(#numbers),*) = #matched; #(let #numbers = #cases;)*)
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
            Pat::Lit(ExprLit { lit: Lit::Bool(value), .. }) => {
                let number = Ident::new(&number.to_string(), span.resolved_at(number.span()));
                let not = (!value.value).then(|| quote_spanned!(span=> !));
                Some(syn::parse_quote_spanned!(span=> #not #number))
            }
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

/// The values that are matched: one, or those of a tuple.
fn matched_values(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        value => vec![value],
    }
}
