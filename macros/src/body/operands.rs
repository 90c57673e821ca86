//! The names that are operands of trees of operators.

use syn::ext::IdentExt;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Expr, Ident, Stmt};

use super::assign::is_assignment;
use super::built_ins::of_method;
use super::functions_in_trees::of_trees;
use super::trees::{operator, tree_argument};

/// A place where a tree uses a name.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    /// The number of the statement in its block.
    pub(super) statement: usize,
    /// Whether it is in a loop inside of the statement.
    pub(super) looped: bool,
}

/// The names that are operands of trees in the statement with this number.
pub(super) fn operands(stmt: &Stmt, statement: usize) -> Vec<(String, Operand)> {
    let mut operands = Operands { found: Vec::new(), statement, loops: 0 };
    operands.visit_stmt_mut(&mut stmt.clone());
    operands.found
}

/// Finds them. (It only reads; syn is built without the read-only visitors.)
struct Operands {
    found: Vec<(String, Operand)>,
    statement: usize,
    loops: usize,
}

impl Operands {
    /// Visits an operand; notes it if it is a name.
    fn operand(&mut self, expr: &mut Expr) {
        match name_of(expr) {
            Some(name) => {
                let operand = Operand { statement: self.statement, looped: self.loops > 0 };
                self.found.push((name.unraw().to_string(), operand));
            }
            None => self.visit_expr_mut(expr),
        }
    }
}

impl VisitMut for Operands {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Binary(binary) if operator(&binary.op).is_some() => {
                if is_assignment(&binary.op) {
                    self.visit_expr_mut(&mut binary.left);
                } else {
                    self.operand(&mut binary.left);
                }
                self.operand(&mut binary.right);
            }
            Expr::MethodCall(call) => {
                let known = of_method(&call.method.to_string());
                if known.converts {
                    self.operand(&mut call.receiver);
                } else {
                    self.visit_expr_mut(&mut call.receiver);
                }
                for arg in &mut call.args {
                    if known.assigns { self.operand(arg) } else { self.visit_expr_mut(arg) }
                }
            }
            Expr::Call(call) => {
                let (tree, all) = (tree_argument(call).is_some(), of_trees(call).is_some());
                for (n, arg) in call.args.iter_mut().enumerate() {
                    if all || tree && n == 0 { self.operand(arg) } else { self.visit_expr_mut(arg) }
                }
            }
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
                self.loops += 1;
                visit_expr_mut(self, expr);
                self.loops -= 1;
            }
            // It may be called later.
            Expr::Closure(_) => {}
            _ => visit_expr_mut(self, expr),
        }
    }
}

/// The name that an expression is.
pub(super) fn name_of(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Paren(paren) => name_of(&paren.expr),
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}
