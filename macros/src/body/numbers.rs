//! Host numbers, as far as syntax shows: literals, names for them, and names from outside.

use syn::{BinOp, Expr, ExprBinary, ExprPath, Type, UnOp};

use super::locals::suffix_as;
use super::stager::{Name, Stager};
use super::trees::call_of;

/// Whether an expression has the form of a number: literals, and others that `leaf` takes, combined by operators.
pub(super) fn is_made_of(expr: &Expr, leaf: &dyn Fn(&Expr) -> bool) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(paren) => is_made_of(&paren.expr, leaf),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_made_of(&unary.expr, leaf),
        Expr::Binary(binary) => is_made_of(&binary.left, leaf) && is_made_of(&binary.right, leaf),
        other => leaf(other),
    }
}

impl Stager<'_> {
    /// Whether an expression, with its casts rewritten, may be a host number: its names may be host numbers, or are
    /// from outside.
    pub(super) fn may_be_number(&self, expr: &Expr) -> bool {
        is_made_of(expr, &|leaf| match leaf {
            Expr::Path(path) => self.names_number(path, false),
            leaf => call_of(leaf, "cast_host").is_some(),
        })
    }

    /// Whether an expression, as written, is certainly a host number.
    pub(super) fn is_number(&self, expr: &Expr) -> bool {
        is_made_of(expr, &|leaf| match leaf {
            Expr::Path(path) => self.names_number(path, true),
            Expr::Cast(cast) => self.is_number(&cast.expr),
            _ => false,
        })
    }

    /// Whether a path is from outside, or the name of a number: of one that is `certain`, or of any.
    fn names_number(&self, path: &ExprPath, only_certain: bool) -> bool {
        match path.path.get_ident().and_then(|name| self.lookup(name)) {
            None => true,
            Some(Name::Number { certain }) => *certain || !only_certain,
            Some(_) => false,
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
