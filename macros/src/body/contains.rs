//! The syntax of `(a..b).contains(&x)`, which is a comparison.

use syn::{Expr, ExprMethodCall, ExprRange};

/// The range, which has a bound, and the argument of `(a..b).contains(&x)`.
pub(super) fn contains(call: &ExprMethodCall) -> Option<(&ExprRange, &Expr)> {
    let range = written_range(&call.receiver).filter(|range| range.start.is_some() || range.end.is_some())?;
    (call.method == "contains" && call.args.len() == 1).then(|| (range, &call.args[0]))
}

/// A range in parentheses.
fn written_range(expr: &Expr) -> Option<&ExprRange> {
    match expr {
        Expr::Paren(paren) => written_range(&paren.expr),
        Expr::Range(range) => Some(range),
        _ => None,
    }
}
