//! `let (a, b) = (x + y, x - y);`: several names, each of which may stay a tree of operators.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Expr, Ident, Local, LocalInit, Pat, PatIdent};

use super::functions_in_trees::of_trees;
use super::trees::of_tree;
use super::uses::count_uses;

/// A `let` for each name of `local`, if one of the values is a tree of operators, and no value uses a name that another one
/// declares: otherwise the order of the declarations would be seen.
pub(super) fn one_by_one(local: &Local) -> Option<Vec<Local>> {
    let (Pat::Tuple(names), Some(init)) = (&local.pat, &local.init) else { return None };
    let Expr::Tuple(values) = &*init.expr else { return None };
    let plain = local.attrs.is_empty() && init.diverge.is_none() && values.attrs.is_empty();
    if !plain || names.elems.len() != values.elems.len() || !values.elems.iter().any(is_tree) {
        return None;
    }
    let declared: Vec<&Ident> = names.elems.iter().map(name_of).collect::<Option<_>>()?;
    let apart = declared.iter().enumerate().all(|(n, name)| {
        declared[..n].iter().all(|other| *other != *name)
            && count_uses(values.to_token_stream(), &name.unraw()) == 0
    });
    if !apart {
        return None;
    }
    let each = names.elems.iter().zip(&values.elems).map(|(name, value)| Local {
        attrs: Vec::new(),
        modifiers: local.modifiers.clone(),
        let_token: local.let_token,
        pat: name.clone(),
        init: Some(LocalInit { eq_token: init.eq_token, expr: Box::new(value.clone()), diverge: None }),
        semi_token: local.semi_token,
    });
    Some(each.collect())
}

/// The name that a pattern without parts declares.
fn name_of(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(PatIdent { attrs, by_ref: None, subpat: None, ident, .. }) if attrs.is_empty() => {
            Some(ident)
        }
        _ => None,
    }
}

/// Whether it is a tree of operators, as syntax shows, or one that is converted.
fn is_tree(value: &Expr) -> bool {
    match value {
        Expr::Paren(paren) => is_tree(&paren.expr),
        Expr::Binary(binary) => of_tree(&binary.op).is_some(),
        Expr::Call(call) => of_trees(call).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    use crate::expand::run;
    use crate::model::Role;

    /// Statements after `let m = surface.read::<u8, 8, 16>(0, 0);`, and whether the names stay those of one `let`.
    const BODIES: &[(bool, &str)] = &[
        (false, "let (a, b) = (m + 1, m - 1); f((a * b).convert());"),
        (false, "let (a, b) = ((m + 1), thread_origin_x()); f((a * b).convert());"),
        (false, "let (a, mut b) = (m + 1, m); b += a; f(b);"),
        (false, "let (a, b) = (math::abs::<i16, _>(m - 3), m); f((a * b).convert());"),
        // None of them is a tree.
        (true, "let (a, b) = (m, thread_origin_x()); f((a * b).convert());"),
        // A value uses a name that is declared, or a name has no value of its own.
        (true, "let (b, m) = (m + 1, m - 1); f((m * b).convert());"),
        (true, "let (m, b) = (m + 1, m - 1); f((m * b).convert());"),
        (true, "let (a, b) = pair(m + 1, m - 1); f((a * b).convert());"),
        (true, "let (a, (b, c)) = (m + 1, pair(m)); f((a * b + c).convert());"),
        (true, "let (a, _) = (m + 1, m - 1); f((a * 2).convert());"),
    ];

    #[test]
    fn each_name_of_a_tuple_of_trees_has_a_let() {
        let wrong: Vec<_> = BODIES
            .iter()
            .filter(|(together, body)| {
                let kernel = format!(
                    "fn k(surface: &Surface2D) {{ let m = surface.read::<u8, 8, 16>(0, 0); {body} }}"
                );
                let tokens =
                    run(TokenStream::new(), kernel.parse().expect("tokens"), Role::Kernel).to_string();
                assert!(!tokens.contains("compile_error"), "{tokens}");
                tokens.contains("let (") != *together
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
