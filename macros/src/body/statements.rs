//! Blocks and their statements.

use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Block, Expr, Item, Stmt};

use super::around::{SimdMacro, diverges, has_value};
use super::printing::is_printf;
use super::stager::Stager;
use crate::messages;

/// Stages the value of a block: the statements that take its place.
type StageTail<'a, S> = dyn FnMut(&mut S, &mut Expr) -> Vec<Stmt> + 'a;

impl Stager<'_> {
    /// A block in its own scope.
    pub(crate) fn block(&mut self, block: &mut Block) {
        self.scoped(|s| s.statements(block));
    }

    /// A block whose value `tail` stages.
    pub(super) fn block_with(
        &mut self,
        block: &mut Block,
        mut tail: impl FnMut(&mut Self, &mut Expr) -> Vec<Stmt>,
    ) {
        self.scoped(|s| s.statements_with(block, Some(&mut tail)));
    }

    /// The statements of a block, in the present scope.
    pub(crate) fn statements(&mut self, block: &mut Block) {
        self.statements_with(block, None);
    }

    fn statements_with(&mut self, block: &mut Block, mut of_value: Option<&mut StageTail<'_, Self>>) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let mut rest = std::mem::take(&mut block.stmts).into_iter();
        loop {
            if let Some((strips, count)) = self.in_strips(rest.as_slice()) {
                stmts.push(strips);
                rest.nth(count - 1);
            }
            let Some(mut stmt) = rest.next() else { break };
            let (conditions, first) = (take_conditions(&mut stmt), stmts.len());
            let outside = std::mem::replace(&mut self.conditional, !conditions.is_empty());
            self.one_statement(stmt, rest.as_slice(), of_value.as_deref_mut(), &mut stmts);
            self.conditional = outside;
            add_conditions(&conditions, &mut stmts[first..]);
        }
        block.stmts = stmts;
    }

    /// A statement that is followed by `rest`.
    fn one_statement(
        &mut self,
        stmt: Stmt,
        rest: &[Stmt],
        of_value: Option<&mut StageTail<'_, Self>>,
        stmts: &mut Vec<Stmt>,
    ) {
        match stmt {
            Stmt::Local(mut local) => {
                self.refuse_unsized(&mut local, rest);
                let scalars = self.declared_scalars(&local);
                self.local(local, rest, stmts);
                scalars.iter().for_each(|name| self.bound_scalar(name));
            }
            // A lone semicolon: nothing to stage, and nothing to underline.
            Stmt::Expr(Expr::Verbatim(empty), semi) if empty.is_empty() => {
                stmts.push(Stmt::Expr(Expr::Verbatim(empty), semi));
            }
            Stmt::Expr(mut expr, semi) => {
                let tail = rest.is_empty() && semi.is_none();
                if tail && let Some(of_value) = of_value {
                    stmts.extend(of_value(self, &mut expr));
                    return;
                }
                self.statement(&mut expr, tail);
                // The replacement of a refused block is not a block.
                let ended = !tail && matches!(expr, Expr::Verbatim(_));
                stmts.push(Stmt::Expr(expr, if ended { Some(semi.unwrap_or_default()) } else { semi }));
            }
            Stmt::Item(item) => {
                // Items inside a function cannot name its generics, including the backend.
                if !matches!(item, Item::Const(_) | Item::Use(_) | Item::Type(_)) {
                    self.errors.add(item.span(), messages::ITEM);
                }
                stmts.push(Stmt::Item(item));
            }
            Stmt::Macro(stmt) if let Some(which) = SimdMacro::of(&stmt.mac) => {
                let expr = self.simd(which, &stmt.mac);
                stmts.push(Stmt::Expr(expr, Some(Default::default())));
            }
            Stmt::Macro(stmt) if is_printf(&stmt.mac) => {
                let expr = self.printf(&stmt.mac);
                stmts.push(Stmt::Expr(expr, Some(Default::default())));
            }
            Stmt::Macro(stmt) => {
                let tail = rest.is_empty() && stmt.semi_token.is_none();
                let refused = self.refused_macro(&stmt.mac);
                stmts.push(Stmt::Expr(refused, (!tail).then(Default::default)));
            }
        }
    }

    /// An expression as a statement: its value is used only if it ends the block.
    pub(super) fn statement(&mut self, expr: &mut Expr, tail: bool) {
        match expr {
            Expr::Break(found) => *expr = self.break_out(found),
            Expr::Continue(found) => *expr = self.continue_with(found),
            Expr::Return(found) => *expr = self.return_from(found),
            Expr::Macro(found) if let Some(which) = SimdMacro::of(&found.mac) => {
                *expr = self.simd(which, &found.mac);
            }
            Expr::Match(found) if !tail || diverges(&Expr::Match(found.clone())) => {
                *expr = self.matching(found, None);
            }
            Expr::If(branch) if !tail || !has_value(branch) => *expr = self.if_statement(branch),
            _ => self.value(expr),
        }
    }
}

/// The `#[cfg]` of a statement, without which it stays.
pub(super) fn take_conditions(stmt: &mut Stmt) -> Vec<Attribute> {
    match stmt {
        Stmt::Local(local) => taken(&mut local.attrs),
        Stmt::Macro(call) => taken(&mut call.attrs),
        Stmt::Expr(expr, _) => taken_of(expr),
        // It is not rewritten.
        Stmt::Item(_) => Vec::new(),
    }
}

/// Whether it has a `#[cfg]`.
pub(super) fn has_conditions(stmt: &Stmt) -> bool {
    !take_conditions(&mut stmt.clone()).is_empty()
}

/// The parser gives the attributes of a statement to its first operand.
fn taken_of(expr: &mut Expr) -> Vec<Attribute> {
    match expr {
        Expr::Assign(assign) => taken_of(&mut assign.left),
        Expr::Binary(binary) => taken_of(&mut binary.left),
        Expr::Block(found) => taken(&mut found.attrs),
        Expr::Break(found) => taken(&mut found.attrs),
        Expr::Call(found) => taken(&mut found.attrs),
        Expr::Continue(found) => taken(&mut found.attrs),
        Expr::Field(found) => taken(&mut found.attrs),
        Expr::ForLoop(found) => taken(&mut found.attrs),
        Expr::If(found) => taken(&mut found.attrs),
        Expr::Index(found) => taken(&mut found.attrs),
        Expr::Loop(found) => taken(&mut found.attrs),
        Expr::Macro(found) => taken(&mut found.attrs),
        Expr::Match(found) => taken(&mut found.attrs),
        Expr::MethodCall(found) => taken(&mut found.attrs),
        Expr::Paren(found) => taken(&mut found.attrs),
        Expr::Path(found) => taken(&mut found.attrs),
        Expr::Return(found) => taken(&mut found.attrs),
        Expr::Unary(found) => taken(&mut found.attrs),
        Expr::While(found) => taken(&mut found.attrs),
        _ => Vec::new(),
    }
}

fn taken(attrs: &mut Vec<Attribute>) -> Vec<Attribute> {
    let (conditions, others) =
        std::mem::take(attrs).into_iter().partition(|attr| attr.path().is_ident("cfg"));
    *attrs = others;
    conditions
}

/// The statements under these conditions.
pub(super) fn add_conditions(conditions: &[Attribute], stmts: &mut [Stmt]) {
    if conditions.is_empty() {
        return;
    }
    for stmt in stmts {
        *stmt = Stmt::Expr(Expr::Verbatim(quote!(#(#conditions)* #stmt)), None);
    }
}
