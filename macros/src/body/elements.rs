//! How elements of a value are known, by syntax.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::visit_mut::{VisitMut, visit_pat_ident_mut};
use syn::{
    BinOp, Block, Expr, ExprCall, ExprLit, ExprMethodCall, GenericArgument, Ident, Lit, Local, Pat, PatIdent,
    Stmt, Token, UnOp,
};

use super::around::{block_diverges, diverges};
use super::built_ins::{comparison, of_method};
use super::conditions::values_of;
use super::contains::contains;
use super::stager::Stager;
use super::types::OfMasks;
use crate::model::{of_mask_type, of_register_type};

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

    /// Whether an expression, as written, has the 16 bits of a mask: a comparison of registers or a name of masks, or a
    /// combination of these. A comparison of numbers counts as well.
    pub(super) fn of_masks(&self, expr: &Expr) -> OfMasks {
        self.masks_in_scope().masks(expr)
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
    declared: Vec<(String, OfMasks)>,
}

impl MaskNames<'_> {
    fn of(&self, expr: &Expr) -> Elements {
        let all = |elems: &Punctuated<Expr, Token![,]>| {
            let elems = elems.iter().filter(|elem| !matches!(elem, Expr::Lit(_)));
            elems.map(|elem| self.of(elem)).reduce(Elements::and).unwrap_or(Elements::Settled)
        };
        match expr {
            Expr::Paren(paren) => self.of(&paren.expr),
            Expr::Binary(binary) if combines(&binary.op) && self.masks(expr) != OfMasks::No => {
                Elements::Masks
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) && self.masks(expr) != OfMasks::No => {
                Elements::Masks
            }
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
        // What other patterns name is not known.
        self.visit_pat_mut(&mut pat.clone());
        let Some(init) = init else { return };
        match (pat, &*init.expr) {
            (Pat::Type(typed), _) => self.declare_name(&typed.pat, OfMasks::of_type(&typed.ty)),
            (Pat::Tuple(names), Expr::Tuple(values)) => {
                let pairs = names.elems.iter().zip(&values.elems);
                pairs.for_each(|(name, value)| self.declare_name(name, before.masks(value)));
            }
            (pat, value) => self.declare_name(pat, before.masks(value)),
        }
    }

    fn declare_name(&mut self, pat: &Pat, masks: OfMasks) {
        if let Pat::Ident(name) = pat {
            self.declared.push((name.ident.unraw().to_string(), masks));
        }
    }

    fn masks(&self, expr: &Expr) -> OfMasks {
        match expr {
            Expr::Paren(paren) => self.masks(&paren.expr),
            Expr::Reference(reference) if reference.mutability.is_none() => self.masks(&reference.expr),
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Neg(_)) => self.masks(&unary.expr),
            Expr::Binary(binary) if comparison(&binary.op).is_some() => OfMasks::Yes,
            Expr::Binary(binary) if combines(&binary.op) => {
                let side = |expr: &Expr| if is_short(expr) { None } else { Some(self.masks(expr)) };
                match (side(&binary.left), side(&binary.right)) {
                    (None, None) | (Some(OfMasks::No), _) | (_, Some(OfMasks::No)) => OfMasks::No,
                    (left, right) => left.max(right).unwrap_or_default(),
                }
            }
            Expr::Path(path) => path.path.get_ident().map(|name| self.named(name)).unwrap_or_default(),
            Expr::Call(call) => self.of_call(call),
            Expr::MethodCall(call) if contains(call).is_some() => OfMasks::Yes,
            Expr::MethodCall(call) => match of_method(&call.method.to_string()) {
                known if known.converts => converts_to_mask(call),
                _ if ["select", "row", "column", "iselect", "replicate"]
                    .iter()
                    .any(|name| call.method == name) =>
                {
                    self.masks(&call.receiver)
                }
                known if known.is_other() => OfMasks::Perhaps,
                _ => OfMasks::No,
            },
            Expr::Field(_) | Expr::Index(_) | Expr::Loop(_) => OfMasks::Perhaps,
            Expr::If(branch) => match &branch.else_branch {
                Some((_, other)) => {
                    let then =
                        (!block_diverges(&branch.then_branch)).then(|| self.of_last(&branch.then_branch));
                    let other = (!diverges(other)).then(|| self.masks(other));
                    then.into_iter().chain(other).min().unwrap_or_default()
                }
                None => OfMasks::No,
            },
            Expr::Match(matched) => {
                let arms = matched.arms.iter().filter(|arm| !diverges(&arm.body));
                arms.map(|arm| self.masks(&arm.body)).min().unwrap_or_default()
            }
            Expr::Block(block) => self.of_last(&block.block),
            _ => OfMasks::No,
        }
    }

    /// The same for the values of a block.
    fn of_last(&self, block: &Block) -> OfMasks {
        let mut inside = self.clone();
        block.stmts.iter().for_each(|stmt| inside.declare(stmt));
        values_of(block).into_iter().map(|value| inside.masks(value)).min().unwrap_or_default()
    }

    fn of_call(&self, call: &ExprCall) -> OfMasks {
        match &*call.func {
            Expr::Path(function) if of_mask_type(&function.path) => OfMasks::Yes,
            Expr::Path(function) if of_register_type(&function.path) => OfMasks::No,
            _ if self.outside.known_function(call).is_other() => OfMasks::Perhaps,
            _ => OfMasks::No,
        }
    }

    fn named(&self, name: &Ident) -> OfMasks {
        let text = name.unraw().to_string();
        match self.declared.iter().rev().find(|(declared, _)| *declared == text) {
            Some((_, masks)) => *masks,
            None => self.outside.names_masks(name),
        }
    }
}

impl VisitMut for MaskNames<'_> {
    fn visit_pat_ident_mut(&mut self, name: &mut PatIdent) {
        self.declared.push((name.ident.unraw().to_string(), OfMasks::Perhaps));
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

/// Whether a conversion says that it gives `u16`.
fn converts_to_mask(call: &ExprMethodCall) -> OfMasks {
    let of = call.turbofish.as_ref().and_then(|arguments| arguments.args.first());
    match of {
        Some(GenericArgument::Type(ty)) if ty.to_token_stream().to_string() == "u16" => OfMasks::Yes,
        _ => OfMasks::No,
    }
}
