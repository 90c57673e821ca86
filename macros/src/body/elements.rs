//! How elements of a value are known, by syntax.

use syn::punctuated::Punctuated;
use syn::{BinOp, Block, Expr, ExprBinary, Token, UnOp};

use super::built_ins::comparison;
use super::conditions::values_of;

/// How the element type of a value with a known destination type is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elements {
    /// It may follow from the destination type.
    Open,
    /// It follows from the operands of an operator.
    Settled,
    /// It is that of a mask: the value is a combination of comparisons.
    Masks,
}

impl Elements {
    /// The kind for an expression, as written.
    pub(crate) fn of(expr: &Expr) -> Self {
        let all = |elems: &Punctuated<Expr, Token![,]>| {
            elems.iter().all(|elem| matches!(elem, Expr::Lit(_)) || Self::of(elem) == Self::Settled)
        };
        let settled = match expr {
            Expr::Paren(paren) => return Self::of(&paren.expr),
            Expr::Binary(binary) if combines_masks(binary) => return Self::Masks,
            Expr::Block(block) => return Self::of_block(&block.block),
            Expr::Binary(_) => true,
            Expr::Unary(unary) => !matches!(unary.op, UnOp::Deref(_)),
            Expr::Array(array) => all(&array.elems),
            Expr::Tuple(tuple) => all(&tuple.elems),
            Expr::If(branch) => {
                let other = branch.else_branch.as_ref().map(|(_, other)| Self::of(other));
                Self::of_block(&branch.then_branch) == Self::Settled && other == Some(Self::Settled)
            }
            _ => false,
        };
        if settled { Self::Settled } else { Self::Open }
    }

    /// The kind for a block, by its last expression.
    pub(crate) fn of_block(block: &Block) -> Self {
        let mut values = values_of(block).into_iter().map(Self::of);
        let first = values.next().unwrap_or(Self::Open);
        if values.all(|other| other == first) { first } else { Self::Open }
    }

    /// The library's name for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::Settled => "Settled",
            Self::Masks => "Masks",
        }
    }
}

/// Whether an operator, as written, combines comparisons. Its elements are promoted, but it is a mask.
fn combines_masks(binary: &ExprBinary) -> bool {
    fn is_mask(expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => is_mask(&paren.expr),
            Expr::Binary(binary) => comparison(&binary.op).is_some() || combines_masks(binary),
            _ => false,
        }
    }
    matches!(binary.op, BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_))
        && is_mask(&binary.left)
        && is_mask(&binary.right)
}
