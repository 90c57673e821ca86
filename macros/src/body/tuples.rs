//! `let (a, b) = (x + y, x - y);`: several names, each of which may stay a tree of operators.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Expr, Ident, Local, LocalInit, Pat, PatIdent, Stmt};

use super::functions_in_trees::of_trees;
use super::trees::of_tree;
use super::uses::count_uses;

/// The statements, with a `let` for each name of those that declare several trees.
pub(super) fn one_by_one(stmts: Vec<Stmt>) -> Vec<Stmt> {
    let each = |stmt| match stmt {
        Stmt::Local(local) => match each_name(&local) {
            Some(each) => each.into_iter().map(Stmt::Local).collect(),
            None => vec![Stmt::Local(local)],
        },
        stmt => vec![stmt],
    };
    stmts.into_iter().flat_map(each).collect()
}

/// A `let` for each name of `local`, if one of the values is a tree of operators, and no value uses a name that another one
/// declares: otherwise the order of the declarations would be seen.
fn each_name(local: &Local) -> Option<Vec<Local>> {
    let (Pat::Tuple(names), Some(init)) = (&local.pat, &local.init) else { return None };
    let Expr::Tuple(values) = &*init.expr else { return None };
    let plain = local.attrs.is_empty() && init.diverge.is_none() && values.attrs.is_empty();
    if !plain || names.elems.len() != values.elems.len() || !values.elems.iter().any(is_tree) {
        return None;
    }
    let declared: Vec<&Ident> = names.elems.iter().map(name_of).collect::<Option<_>>()?;
    let apart = declared.iter().enumerate().all(|(n, name)| {
        declared[..n].iter().all(|other| other.unraw() != name.unraw())
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
mod tests;
