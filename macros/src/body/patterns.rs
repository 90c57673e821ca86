//! The patterns of a `match` on integers and conditions: what they compare, which names they bind, and which values they take.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Arm, Expr, ExprLit, ExprPath, Ident, Lit, Pat, PatGuard, PatIdent, UnOp};

use super::literals::literal;
use crate::messages;

/// What the patterns compare a value with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Condition,
    /// With nothing: it is only bound, or skipped.
    Anything,
}

/// A pattern, and its guard if it has one.
pub(super) type Guarded<'p> = (&'p Pat, Option<&'p Expr>);

/// A pattern without its guard, and the guard.
pub(super) fn unguarded(pat: &Pat) -> Guarded<'_> {
    match pat {
        Pat::Guard(guarded) => (&guarded.pat, Some(&guarded.guard)),
        pat => (pat, None),
    }
}

/// The number of values that patterns take apart: those of the first tuple, or 1.
pub(super) fn count_of(arms: &[Arm]) -> usize {
    fn of(pat: &Pat) -> Option<usize> {
        match pat {
            Pat::Paren(paren) => of(&paren.pat),
            Pat::Or(or) => or.cases.iter().find_map(of),
            Pat::Tuple(tuple) if !has_rest(tuple) => Some(tuple.elems.len()),
            _ => None,
        }
    }
    arms.iter().find_map(|arm| of(unguarded(&arm.pat).0)).unwrap_or(1)
}

fn has_rest(tuple: &syn::PatTuple) -> bool {
    tuple.elems.iter().any(|pat| matches!(pat, Pat::Rest(_)))
}

/// An arm without `..` in its pattern, and as one arm for each alternative if these bind the same names to different values.
pub(super) fn one_arm_each(mut arm: Arm, count: usize) -> Vec<Arm> {
    let guard = match arm.pat {
        Pat::Guard(guarded) => {
            arm.pat = *guarded.pat;
            Some((guarded.if_token, guarded.guard))
        }
        pat => {
            arm.pat = pat;
            None
        }
    };
    without_rest(&mut arm.pat, count);
    let cases = match inner(&arm.pat) {
        Pat::Or(or) if differ(&or.cases, count) => or.cases.iter().cloned().collect(),
        _ => vec![arm.pat.clone()],
    };
    let with = |case: Pat| match &guard {
        Some((if_token, guard)) => Pat::Guard(PatGuard {
            attrs: Vec::new(),
            pat: Box::new(case),
            if_token: *if_token,
            guard: guard.clone(),
        }),
        None => case,
    };
    cases.into_iter().map(|case| Arm { pat: with(case), ..arm.clone() }).collect()
}

fn inner(pat: &Pat) -> &Pat {
    match pat {
        Pat::Paren(paren) => inner(&paren.pat),
        pat => pat,
    }
}

/// `(1, ..)` as `(1, _, _)`.
fn without_rest(pat: &mut Pat, count: usize) {
    match pat {
        Pat::Paren(paren) => without_rest(&mut paren.pat, count),
        Pat::Or(or) => or.cases.iter_mut().for_each(|case| without_rest(case, count)),
        Pat::Tuple(tuple) if has_rest(tuple) => {
            let skipped = (count + 1).saturating_sub(tuple.elems.len());
            let elems = std::mem::take(&mut tuple.elems);
            for elem in elems {
                match elem {
                    Pat::Rest(rest) => {
                        let span = rest.span();
                        let any = || -> Pat { syn::parse_quote_spanned!(span=> _) };
                        tuple.elems.extend((0..skipped).map(|_| any()));
                    }
                    elem => tuple.elems.push(elem),
                }
            }
        }
        _ => {}
    }
}

/// Whether alternatives bind the same names, but to different values of the tuple.
fn differ<'p>(cases: impl IntoIterator<Item = &'p Pat>, count: usize) -> bool {
    let places: Vec<Ident> = (0..count).map(|n| Ident::new(&format!("_{n}"), Span::call_site())).collect();
    let sorted: Vec<_> = cases.into_iter().map(|case| sorted_names(case, &places)).collect();
    let names =
        |all: &[(Ident, bool, &Ident)]| -> Vec<Ident> { all.iter().map(|(name, ..)| name.clone()).collect() };
    let Some(first) = sorted.first() else { return false };
    sorted.iter().all(|other| names(other) == names(first)) && sorted.iter().any(|other| other != first)
}

/// The kind of each value; `None` if there is another pattern, which only host values match.
pub(super) fn kinds(patterns: &[Guarded<'_>], count: usize) -> Option<Vec<Kind>> {
    let mut kinds = vec![Kind::Anything; count];
    // The others say whether `Z::Q` is a constant.
    patterns.iter().for_each(|(pat, _)| _ = note(pat, &mut kinds));
    patterns.iter().all(|(pat, _)| note(pat, &mut kinds)).then_some(kinds)
}

/// The kinds of the values of a tuple that has other patterns, too.
pub(super) fn kinds_of_tuple(arms: &[Arm]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for arm in arms {
        if let Pat::Tuple(tuple) = inner(unguarded(&arm.pat).0) {
            kinds.resize(kinds.len().max(tuple.elems.len()), Kind::Anything);
            for (pat, kind) in tuple.elems.iter().zip(&mut kinds) {
                note(pat, std::slice::from_mut(kind));
            }
        }
    }
    kinds
}

/// Whether a pattern is of integers, conditions and names; it says of which kind the values are.
fn note(pat: &Pat, kinds: &mut [Kind]) -> bool {
    match (pat, kinds) {
        (Pat::Wild(_), _) => true,
        (Pat::Or(or), kinds) => or.cases.iter().all(|case| note(case, kinds)),
        (Pat::Paren(paren), kinds) => note(&paren.pat, kinds),
        (Pat::Tuple(tuple), kinds) => {
            kinds.len() > 1
                && tuple.elems.len() == kinds.len()
                && kinds.chunks_mut(1).zip(&tuple.elems).all(|(kind, pat)| note(pat, kind))
        }
        (Pat::Ident(name), [_]) if name.by_ref.is_some() || names_variant(name) => false,
        (Pat::Ident(PatIdent { subpat: Some((_, sub)), .. }), kinds) => note(sub, kinds),
        (Pat::Ident(name), [_]) if !is_constant(&name.ident) => true,
        // A constant or a variant, of which only the first are beside numbers.
        (Pat::Path(path), [Kind::Integer]) if names_letter(path) => true,
        (pat, [kind]) => {
            let known = compared(pat).filter(|known| *kind == Kind::Anything || kind == known);
            known.is_some_and(|known| {
                *kind = known;
                true
            })
        }
        _ => false,
    }
}

/// What a pattern that is no name compares a value with.
fn compared(pat: &Pat) -> Option<Kind> {
    let integer = match pat {
        Pat::Lit(ExprLit { lit: Lit::Bool(_), .. }) => return Some(Kind::Condition),
        Pat::Lit(lit) => matches!(lit.lit, Lit::Int(_) | Lit::Byte(_)),
        Pat::Path(path) => path.path.segments.last().is_some_and(|last| is_constant(&last.ident)),
        Pat::Ident(_) => true,
        Pat::Range(range) => [&range.start, &range.end].into_iter().flatten().all(|bound| is_bound(bound)),
        _ => false,
    };
    integer.then_some(Kind::Integer)
}

/// Whether a name has the form of constants, not of values or variants.
pub(super) fn is_constant(name: &Ident) -> bool {
    let name = name.to_string();
    name.len() > 1 && name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(char::is_lowercase)
}

/// Whether a name has the form of variants, which may be imported.
fn names_variant(name: &PatIdent) -> bool {
    let ident = name.ident.to_string();
    name.mutability.is_none()
        && name.subpat.is_none()
        && ident.starts_with(|c: char| c.is_ascii_uppercase())
        && ident.chars().any(char::is_lowercase)
}

/// Whether a path ends with a capital letter alone, which may be the name of a constant.
fn names_letter(path: &ExprPath) -> bool {
    path.path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.len() == 1 && name.chars().all(|c| c.is_ascii_uppercase())
    })
}

/// Whether the bound of a pattern is a number.
fn is_bound(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_) | Lit::Byte(_)),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_bound(&unary.expr),
        // Only constants are bounds.
        Expr::Path(_) => true,
        _ => false,
    }
}

/// The first pattern with which all values are taken: those of all conditions, and any integers.
pub(super) fn last_needed(patterns: &[Guarded<'_>], kinds: &[Kind]) -> Option<usize> {
    let any = |kind: &Kind| if *kind == Kind::Condition { Value::Open } else { Value::Number };
    let mut left: Vec<Vec<Value>> = vec![kinds.iter().map(any).collect()];
    patterns.iter().position(|(pat, guard)| {
        if guard.is_none() {
            left = left.drain(..).flat_map(|values| without(pat, values)).collect();
        }
        left.is_empty()
    })
}

/// What a pattern compares, of all possible values.
#[derive(Clone, Copy)]
enum Value {
    /// Any integer.
    Number,
    /// Any condition.
    Open,
    Condition(bool),
}

/// Whether a pattern takes all of some values.
enum Takes {
    Yes,
    No,
    /// The condition with this number decides.
    Depends(usize),
}

/// The values that a pattern does not take. Only conditions that it compares are told apart: all of many have too many values.
fn without(pat: &Pat, values: Vec<Value>) -> Vec<Vec<Value>> {
    match takes(pat, &values, 0) {
        Takes::Yes => Vec::new(),
        Takes::No => vec![values],
        Takes::Depends(n) => {
            let with = |condition| {
                let mut values = values.clone();
                values[n] = Value::Condition(condition);
                without(pat, values)
            };
            [false, true].into_iter().flat_map(with).collect()
        }
    }
}

/// Whether a pattern takes these values, of which the first has the number `first`.
fn takes(pat: &Pat, values: &[Value], first: usize) -> Takes {
    let known = |takes| if takes { Takes::Yes } else { Takes::No };
    match pat {
        Pat::Wild(_) => Takes::Yes,
        Pat::Ident(PatIdent { subpat: Some((_, sub)), .. }) => takes(sub, values, first),
        Pat::Ident(name) => known(!is_constant(&name.ident)),
        Pat::Lit(ExprLit { lit: Lit::Bool(compared), .. }) => match values {
            [Value::Condition(condition)] => known(*condition == compared.value),
            [Value::Open] => Takes::Depends(first),
            _ => Takes::No,
        },
        Pat::Or(or) => {
            let mut all = Takes::No;
            for case in &or.cases {
                match (takes(case, values, first), &all) {
                    (Takes::Yes, _) => return Takes::Yes,
                    (depends @ Takes::Depends(_), Takes::No) => all = depends,
                    _ => {}
                }
            }
            all
        }
        Pat::Tuple(tuple) => {
            let mut all = Takes::Yes;
            for (n, (value, pat)) in values.chunks(1).zip(&tuple.elems).enumerate() {
                match (takes(pat, value, first + n), &all) {
                    (Takes::No, _) => return Takes::No,
                    (depends @ Takes::Depends(_), Takes::Yes) => all = depends,
                    _ => {}
                }
            }
            all
        }
        Pat::Paren(paren) => takes(&paren.pat, values, first),
        _ => Takes::No,
    }
}

/// The float of a pattern.
pub(super) fn names_float(pat: &Pat) -> Option<Span> {
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

/// Where a pattern binds a name twice, or where its alternatives do not bind the same names to the same numbers.
pub(super) fn misbound(pat: &Pat, numbers: &[Ident]) -> Option<(Span, &'static str)> {
    let names = bound(pat, numbers);
    let twice =
        names.iter().enumerate().find(|(n, (name, ..))| names[..*n].iter().any(|(other, ..)| other == name));
    if let Some((_, (name, ..))) = twice {
        return Some((name.span(), messages::MATCH_TWICE));
    }
    match pat {
        Pat::Or(or) => {
            let sorted = |case: &Pat| sorted_names(case, numbers);
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

fn sorted_names<'n>(pat: &Pat, numbers: &'n [Ident]) -> Vec<(Ident, bool, &'n Ident)> {
    let mut names = bound(pat, numbers);
    names.sort_unstable();
    names
}

/// The names that a pattern of these values binds, whether each is a variable, and its value.
pub(super) fn bound<'n>(pat: &Pat, numbers: &'n [Ident]) -> Vec<(Ident, bool, &'n Ident)> {
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
