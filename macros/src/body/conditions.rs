//! `#[cfg]` of statements. The macros see both statements under opposite conditions, of which rustc leaves one out.

use proc_macro2::{Span, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_arm_mut, visit_field_pat_mut, visit_field_value_mut, visit_stmt_mut};
use syn::{Arm, Attribute, Block, Expr, FieldPat, FieldValue, Item, Stmt};

use crate::model::is_condition;

/// The `#[cfg]` of a statement, without which it stays.
pub(super) fn take_conditions(stmt: &mut Stmt) -> Vec<Attribute> {
    let attributes = match stmt {
        Stmt::Local(local) => Some(&mut local.attrs),
        Stmt::Macro(call) => Some(&mut call.attrs),
        Stmt::Expr(expr, _) => attributes(expr),
        // It is not rewritten.
        Stmt::Item(_) => None,
    };
    attributes.map(take_from).unwrap_or_default()
}

/// The `#[cfg]` among attributes, without which they stay.
fn take_from(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    let (conditions, others) = std::mem::take(attributes).into_iter().partition(is_condition);
    *attributes = others;
    conditions
}

/// Whether it has a `#[cfg]`.
pub(super) fn has_conditions(stmt: &Stmt) -> bool {
    !take_conditions(&mut stmt.clone()).is_empty()
}

/// The attributes of a statement; the parser gives them to its first operand.
fn attributes(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    Some(match expr {
        Expr::Assign(assign) => return attributes(&mut assign.left),
        Expr::Binary(binary) => return attributes(&mut binary.left),
        Expr::Cast(cast) => return attributes(&mut cast.expr),
        Expr::Block(found) => &mut found.attrs,
        Expr::Break(found) => &mut found.attrs,
        Expr::Call(found) => &mut found.attrs,
        Expr::Continue(found) => &mut found.attrs,
        Expr::Field(found) => &mut found.attrs,
        Expr::ForLoop(found) => &mut found.attrs,
        Expr::If(found) => &mut found.attrs,
        Expr::Index(found) => &mut found.attrs,
        Expr::Lit(found) => &mut found.attrs,
        Expr::Loop(found) => &mut found.attrs,
        Expr::Macro(found) => &mut found.attrs,
        Expr::Match(found) => &mut found.attrs,
        Expr::MethodCall(found) => &mut found.attrs,
        Expr::Paren(found) => &mut found.attrs,
        Expr::Path(found) => &mut found.attrs,
        Expr::Reference(found) => &mut found.attrs,
        Expr::Return(found) => &mut found.attrs,
        Expr::Unary(found) => &mut found.attrs,
        Expr::Unsafe(found) => &mut found.attrs,
        Expr::While(found) => &mut found.attrs,
        _ => return None,
    })
}

/// The `#[cfg]` of a statement of another form, which [`take_conditions`] leaves there.
pub(super) fn refused_condition(stmt: &Stmt) -> Option<Span> {
    let Stmt::Expr(expr, _) = stmt else { return None };
    if attributes(&mut expr.clone()).is_some() {
        return None;
    }
    let mut tokens = expr.to_token_stream().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Punct(hash)), Some(TokenTree::Group(group))) if hash.as_char() == '#' => {
            let first = group.stream().into_iter().next()?;
            matches!(first, TokenTree::Ident(name) if name == "cfg").then(|| hash.span())
        }
        _ => None,
    }
}

/// Finds the `#[cfg]` of elements, arguments and other parts of expressions, which their replacements would not have. (It only
/// reads what it has got; syn is built without the read-only visitors.)
#[derive(Default)]
pub(crate) struct PartConditions {
    pub(crate) found: Vec<Span>,
}

impl VisitMut for PartConditions {
    fn visit_attribute_mut(&mut self, attr: &mut Attribute) {
        if is_condition(attr) {
            self.found.push(attr.pound_token.span);
        }
    }

    // The one of a statement, an arm or a field is kept or refused where these are staged.
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if refused_condition(stmt).is_none() {
            take_conditions(stmt);
            visit_stmt_mut(self, stmt);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        take_from(&mut arm.attrs);
        visit_arm_mut(self, arm);
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        take_from(&mut field.attrs);
        visit_field_value_mut(self, field);
    }

    fn visit_field_pat_mut(&mut self, field: &mut FieldPat) {
        take_from(&mut field.attrs);
        visit_field_pat_mut(self, field);
    }

    /// It is not rewritten.
    fn visit_item_mut(&mut self, _: &mut Item) {}
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

/// The number of the statements at the end of a block each of which may be the last one: 1, or more that have a `#[cfg]`.
pub(super) fn count_last(block: &Block) -> usize {
    let conditional = block.stmts.iter().rev().take_while(|stmt| has_conditions(stmt)).count();
    conditional.max(1).min(block.stmts.len())
}

/// The statements each of which may be the last one of a block.
pub(super) fn last_of(block: &Block) -> &[Stmt] {
    &block.stmts[block.stmts.len() - count_last(block)..]
}

/// The value of a block, or each one that it may have; none if it has no value.
pub(super) fn values_of(block: &Block) -> Vec<&Expr> {
    let values = last_of(block).iter().map(|stmt| match stmt {
        Stmt::Expr(value, None) => Some(value),
        _ => None,
    });
    values.collect::<Option<_>>().unwrap_or_default()
}

/// Whether a statement before these, with a `#[cfg]` or not, may give the value of a block.
pub(super) fn may_be_left_out(rest: &[Stmt], conditional: bool) -> bool {
    rest.is_empty()
        || conditional && rest.iter().all(|stmt| matches!(stmt, Stmt::Expr(_, None)) && has_conditions(stmt))
}

/// Where the pattern of a `let` is.
pub(super) fn declared_at(stmt: &Stmt) -> Option<Span> {
    match stmt {
        Stmt::Local(local) => Some(local.pat.span()),
        _ => None,
    }
}
