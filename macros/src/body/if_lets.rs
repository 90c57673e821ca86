//! `if let` with a value as the `match` it stands for.

use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Expr, ExprIf};

use super::around::has_value;

/// Replaces them in a body.
pub(crate) struct IfLets;

impl VisitMut for IfLets {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_expr_mut(self, expr);
        let Expr::If(branch) = expr else { return };
        if let Some((_, other)) = &mut branch.else_branch
            && matches!(**other, Expr::Match(_))
        {
            **other = syn::parse_quote!({ #other });
        }
        if let Some(matched) = as_match(branch) {
            *expr = matched;
        }
    }
}

fn as_match(branch: &ExprIf) -> Option<Expr> {
    let (Expr::Let(cond), Some((_, other))) = (&*branch.cond, &branch.else_branch) else { return None };
    let (attrs, pat, value, then) = (&branch.attrs, &cond.pat, &cond.expr, &branch.then_branch);
    has_value(branch).then(
        || syn::parse_quote_spanned!(branch.if_token.span=> #(#attrs)* match #value { #pat => #then, _ => #other }),
    )
}
