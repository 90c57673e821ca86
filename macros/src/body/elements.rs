//! How elements of a value are known, by syntax.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::visit_mut::{VisitMut, visit_pat_ident_mut};
use syn::{
    BinOp, Block, Expr, ExprLit, ExprMethodCall, GenericArgument, Ident, Lit, Local, Pat, PatIdent, Stmt,
    Token, UnOp,
};

use super::built_ins::{comparison, of_method};
use super::conditions::values_of;
use super::stager::Stager;
use crate::model::{mask_type, of_mask_type};

/// How the element type of a value with a known destination type is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elements {
    /// It may follow from the destination type.
    Open,
    /// It follows from the operands of an operator.
    Settled,
    /// It is that of a mask: the value is a combination of masks by `&`, `|`, `^` and `!`.
    Masks,
}

impl Elements {
    /// The kind for two values with one destination.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::Masks, Self::Masks) => Self::Masks,
            _ => Self::Settled,
        }
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

impl Stager<'_> {
    /// The kind for an expression, as written.
    pub(crate) fn how_known(&self, expr: &Expr) -> Elements {
        self.masks_in_scope().of(expr)
    }

    /// The kind for a block, by its last expression.
    pub(crate) fn how_block_known(&self, block: &Block) -> Elements {
        self.masks_in_scope().of_block(block)
    }

    /// Whether syntax shows that an expression, as written, has the 16 bits of a mask: a comparison of registers or a name of
    /// masks, or a combination of these. A comparison of numbers counts as well.
    pub(super) fn is_mask(&self, expr: &Expr) -> bool {
        self.masks_in_scope().is_mask(expr)
    }

    fn masks_in_scope(&self) -> MaskNames<'_> {
        MaskNames { outside: self, declared: Vec::new() }
    }
}

/// Which names are those of masks.
#[derive(Clone)]
struct MaskNames<'a> {
    outside: &'a Stager<'a>,
    /// Those of a block that is not staged yet.
    declared: Vec<(String, bool)>,
}

impl MaskNames<'_> {
    fn of(&self, expr: &Expr) -> Elements {
        let all = |elems: &Punctuated<Expr, Token![,]>| {
            let elems = elems.iter().filter(|elem| !matches!(elem, Expr::Lit(_)));
            elems.map(|elem| self.of(elem)).reduce(Elements::and).unwrap_or(Elements::Settled)
        };
        match expr {
            Expr::Paren(paren) => self.of(&paren.expr),
            Expr::Binary(binary) if combines(&binary.op) && self.is_mask(expr) => Elements::Masks,
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) && self.is_mask(expr) => Elements::Masks,
            Expr::Block(block) => self.of_block(&block.block),
            Expr::Binary(_) => Elements::Settled,
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => Elements::Settled,
            Expr::Array(array) => all(&array.elems),
            Expr::Tuple(tuple) => all(&tuple.elems),
            Expr::If(branch) => match &branch.else_branch {
                Some((_, other)) => self.of_block(&branch.then_branch).and(self.of(other)),
                None => Elements::Open,
            },
            _ => Elements::Open,
        }
    }

    fn of_block(&self, block: &Block) -> Elements {
        let mut inside = self.clone();
        block.stmts.iter().for_each(|stmt| inside.declare(stmt));
        let values = values_of(block).into_iter().map(|value| inside.of(value));
        values.reduce(Elements::and).unwrap_or(Elements::Open)
    }

    fn declare(&mut self, stmt: &Stmt) {
        let Stmt::Local(Local { pat, init, .. }) = stmt else { return };
        let before = self.clone();
        // The names of other patterns are no masks, as far as is known.
        self.visit_pat_mut(&mut pat.clone());
        let Some(init) = init else { return };
        match (pat, &*init.expr) {
            (Pat::Type(typed), _) => self.declare_name(&typed.pat, mask_type(&typed.ty)),
            (Pat::Tuple(names), Expr::Tuple(values)) => {
                let pairs = names.elems.iter().zip(&values.elems);
                pairs.for_each(|(name, value)| self.declare_name(name, before.is_mask(value)));
            }
            (pat, value) => self.declare_name(pat, before.is_mask(value)),
        }
    }

    fn declare_name(&mut self, pat: &Pat, mask: bool) {
        if let Pat::Ident(name) = pat {
            self.declared.push((name.ident.unraw().to_string(), mask));
        }
    }

    fn is_mask(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_mask(&paren.expr),
            Expr::Reference(reference) if reference.mutability.is_none() => self.is_mask(&reference.expr),
            Expr::Unary(unary) => !matches!(unary.op, UnOp::Neg(_)) && self.is_mask(&unary.expr),
            Expr::Binary(binary) if comparison(&binary.op).is_some() => true,
            Expr::Binary(binary) => {
                let (left, right) = (&*binary.left, &*binary.right);
                let beside = |side, other| self.is_mask(side) && (is_short(other) || self.is_mask(other));
                combines(&binary.op) && (beside(left, right) || beside(right, left))
            }
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_mask(name)),
            Expr::Call(call) => makes_mask(&call.func),
            Expr::MethodCall(call) => match of_method(&call.method.to_string()) {
                known if known.converts => converts_to_mask(call),
                _ => {
                    let region = ["select", "row", "column", "iselect", "replicate"];
                    region.iter().any(|name| call.method == name) && self.is_mask(&call.receiver)
                }
            },
            _ => false,
        }
    }

    fn names_mask(&self, name: &Ident) -> bool {
        let text = name.unraw().to_string();
        match self.declared.iter().rev().find(|(declared, _)| *declared == text) {
            Some((_, mask)) => *mask,
            None => self.outside.names_mask(name),
        }
    }
}

impl VisitMut for MaskNames<'_> {
    fn visit_pat_ident_mut(&mut self, name: &mut PatIdent) {
        self.declared.push((name.ident.unraw().to_string(), false));
        visit_pat_ident_mut(self, name);
    }
}

/// Whether it is an operator that combines masks. Its elements are promoted, but it is a mask.
fn combines(op: &BinOp) -> bool {
    matches!(op, BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_))
}

/// Whether it is a literal of 16 bits.
fn is_short(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_short(&paren.expr),
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => {
            int.suffix().is_empty() && int.base10_parse::<u16>().is_ok()
        }
        _ => false,
    }
}

/// Whether a function is `Vector::<u16, 8>::splat` or the like.
fn makes_mask(function: &Expr) -> bool {
    matches!(function, Expr::Path(function) if of_mask_type(&function.path))
}

fn converts_to_mask(call: &ExprMethodCall) -> bool {
    let of = call.turbofish.as_ref().and_then(|arguments| arguments.args.first());
    matches!(of, Some(GenericArgument::Type(ty)) if ty.to_token_stream().to_string() == "u16")
}
