//! Host numbers, as far as syntax shows: literals, names for them, and names from outside.

use syn::{BinOp, Expr, ExprBinary, Type, UnOp};

use super::locals::suffix_as;
use super::stager::{Name, Stager};
use super::trees::call_of;

impl Stager<'_> {
    /// Whether an expression may be a host number: a literal, a name for one, or a name from outside.
    pub(super) fn may_be_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Paren(paren) => self.may_be_number(&paren.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.may_be_number(&unary.expr),
            Expr::Binary(binary) => self.may_be_number(&binary.left) && self.may_be_number(&binary.right),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => matches!(self.lookup(name), None | Some(Name::Number { .. })),
                None => true,
            },
            _ => call_of(expr, "cast_host").is_some(),
        }
    }

    /// Whether an expression, as written, is certainly one.
    pub(super) fn is_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) => true,
            Expr::Paren(paren) => self.is_number(&paren.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.is_number(&unary.expr),
            Expr::Binary(binary) => self.is_number(&binary.left) && self.is_number(&binary.right),
            Expr::Cast(cast) => self.is_number(&cast.expr),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => matches!(self.lookup(name), None | Some(Name::Number { certain: true })),
                None => true,
            },
            _ => false,
        }
    }
}

/// A literal next to `x as T` has this type. If both are host numbers, it must.
pub(super) fn cast_literals(binary: &mut ExprBinary) {
    fn cast(expr: &Expr) -> Option<&Type> {
        match expr {
            Expr::Paren(paren) => cast(&paren.expr),
            Expr::Cast(cast) => Some(&cast.ty),
            _ => None,
        }
    }
    if matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_)) {
        return;
    }
    let (left, right) = (cast(&binary.left).cloned(), cast(&binary.right).cloned());
    // Products of narrower types have the promoted type, to which their literals belong.
    let wide = |ty: &Type| matches!(ty, Type::Path(ty) if ["u32", "u64", "i64"].iter().any(|name| ty.path.is_ident(name)));
    for (ty, other) in [(left, &mut binary.right), (right, &mut binary.left)] {
        if let Some(ty) = ty.filter(wide) {
            suffix_as(other, &ty);
        }
    }
}
