//! Blocks and their statements.

use syn::spanned::Spanned;
use syn::{Block, Expr, ExprBlock, Item, Stmt};

use super::around::{SimdMacro, diverges, has_value};
use super::conditions::{add_conditions, declared_at, may_be_left_out, refused_condition, take_conditions};
use super::following::{Following, UsesOfBlock};
use super::printing::is_printf;
use super::stager::Stager;
use super::tuples::one_by_one;
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
        let mut rest = one_by_one(std::mem::take(&mut block.stmts)).into_iter();
        let uses = UsesOfBlock::default();
        loop {
            if let Some((strips, count)) = self.in_strips(rest.as_slice()) {
                stmts.push(strips);
                rest.nth(count - 1);
            }
            let declared = self.declared_by_assignment(Following::new(rest.as_slice(), &uses));
            let Some(mut stmt) = rest.next() else { break };
            if let Some(declared) = declared {
                rest.next();
                stmt = Stmt::Local(declared);
            }
            self.under_conditions(stmt, &mut stmts, |s, stmt, stmts| {
                let rest = Following::new(rest.as_slice(), &uses);
                let (exits, last) = (s.exits, rest.stmts().is_empty());
                s.one_statement(stmt, rest, of_value.as_deref_mut(), stmts);
                // One with a `#[cfg]` may be the value of the block.
                if s.exits > exits && !last && !s.is_conditional() {
                    stmts.extend(s.rest_of_arm());
                }
            });
        }
        block.stmts = stmts;
    }

    /// Stages a statement with `stage`. The statements that take its place have its `#[cfg]`.
    pub(super) fn under_conditions(
        &mut self,
        mut stmt: Stmt,
        stmts: &mut Vec<Stmt>,
        stage: impl FnOnce(&mut Self, Stmt, &mut Vec<Stmt>),
    ) {
        if let Some(span) = refused_condition(&stmt) {
            self.errors.add(span, messages::CFG_PLACE);
        }
        let (conditions, declared) = (take_conditions(&mut stmt), declared_at(&stmt));
        let mut staged = Vec::new();
        let uncertain = self.conditionally(!conditions.is_empty(), stmts, |s| stage(s, stmt, &mut staged));
        if let (true, Some(span)) = (uncertain, declared) {
            self.errors.add(span, messages::CFG_KIND);
        }
        add_conditions(&conditions, &mut staged);
        stmts.append(&mut staged);
    }

    /// A statement that is followed by `rest`.
    fn one_statement(
        &mut self,
        stmt: Stmt,
        rest: Following<'_>,
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
                let tail = semi.is_none() && may_be_left_out(rest.stmts(), self.is_conditional());
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
                let tail = rest.stmts().is_empty() && stmt.semi_token.is_none();
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

/// A block of these statements and a value, which may itself begin with a block.
pub(super) fn block_of(mut stmts: Vec<Stmt>, value: Expr) -> Expr {
    stmts.push(Stmt::Expr(value, None));
    let block = Block { brace_token: Default::default(), stmts };
    Expr::Block(ExprBlock { attrs: vec![], label: None, block })
}
