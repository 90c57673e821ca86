//! `sum += a; sum += b;`, also in loops: assignments that change one variable one after the other. The CPU does all of
//! them for some rows, which stay in registers, and then for the next rows.

use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Block, Expr, ExprBinary, ExprForLoop, Ident, Pat, RangeLimits, Stmt};

use super::assign::is_assignment;
use super::stager::{Name, Stager};
use super::trees::{is_region, operator};
use super::uses::count_uses;

impl Stager<'_> {
    /// The statement that stands for the first ones, and how many these are, if they change one variable.
    pub(super) fn in_strips(&mut self, stmts: &[Stmt]) -> Option<(Stmt, usize)> {
        let (changes, variable) = self.changes_of_one(stmts)?;
        let span = variable.span();
        let strip = self.internal(span, "__strip");
        let mut body: Block = syn::parse_quote!({ #(#changes)* });
        self.strip = Some(strip.clone());
        self.block(&mut body);
        self.strip = None;
        let (strips, backend) = (self.library(span, "strips"), self.backend(span));
        let looped = syn::parse_quote_spanned!(span=> for #strip in #strips::<#backend, _>(&#variable) #body);
        Some((looped, changes.len()))
    }

    /// The first statements that only change one variable, element by element, and this variable.
    fn changes_of_one<'s>(&self, stmts: &'s [Stmt]) -> Option<(&'s [Stmt], &'s Ident)> {
        if self.strip.is_some() || !self.lanes.is_empty() {
            return None;
        }
        let mut changes = Changes { stager: self, variable: None, looped: false };
        let all = stmts.iter().take_while(|stmt| changes.statement(stmt)).count();
        let variable = changes.variable.filter(|_| changes.looped)?;
        Some((&stmts[..all], variable))
    }
}

/// Statements that change one variable.
struct Changes<'a, 's> {
    stager: &'a Stager<'a>,
    variable: Option<&'s Ident>,
    /// Whether a loop is among them.
    looped: bool,
}

impl<'s> Changes<'_, 's> {
    fn statement(&mut self, stmt: &'s Stmt) -> bool {
        match stmt {
            Stmt::Expr(Expr::Binary(binary), _) => self.assignment(binary),
            Stmt::Expr(Expr::ForLoop(looped), _) => self.looped(looped),
            _ => false,
        }
    }

    fn assignment(&mut self, binary: &'s ExprBinary) -> bool {
        let Expr::Path(left) = &*binary.left else { return false };
        let Some(name) = left.path.get_ident() else { return false };
        let same = self.variable.is_none_or(|variable| variable == name);
        let changes = same
            && is_assignment(&binary.op)
            && matches!(self.stager.lookup(name), Some(Name::Variable(_)))
            && self.stager.is_register(&binary.right)
            && count_uses(binary.right.to_token_stream(), &name.unraw()) == 0
            && self.is_free(&binary.right);
        if changes {
            self.variable = Some(name);
        }
        changes
    }

    fn looped(&mut self, looped: &'s ExprForLoop) -> bool {
        let (Pat::Ident(_), Expr::Range(range)) = (&*looped.pat, &*looped.expr) else { return false };
        let (Some(start), Some(end)) = (&range.start, &range.end) else { return false };
        let plain = looped.label.is_none() && looped.attrs.is_empty();
        let bounds = matches!(range.limits, RangeLimits::HalfOpen(_)) && is_number(start) && is_number(end);
        self.looped = true;
        plain && bounds && looped.body.stmts.iter().all(|stmt| self.statement(stmt))
    }

    /// Whether an operand costs nothing until its elements are computed.
    fn is_free(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_free(&paren.expr),
            Expr::Binary(binary) => {
                operator(&binary.op).is_some() && self.is_free(&binary.left) && self.is_free(&binary.right)
            }
            Expr::MethodCall(call) => {
                let object = matches!(&*call.receiver, Expr::Path(_));
                object && (is_region(call) || call.method == "get") && call.args.iter().all(is_number)
            }
            Expr::Path(path) => !path.path.get_ident().is_some_and(|name| self.stager.is_variable(name)),
            Expr::Lit(_) => true,
            _ => false,
        }
    }
}

/// Whether an expression is made of names and literals, like numbers of the host.
fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_number(&paren.expr),
        Expr::Binary(binary) => is_number(&binary.left) && is_number(&binary.right),
        Expr::Cast(cast) => is_number(&cast.expr),
        Expr::Path(_) | Expr::Lit(_) => true,
        _ => false,
    }
}
