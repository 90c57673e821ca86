//! `for i in 0..3 { sum += m.select::<.., 1>(i, 0) }`: a loop, or several statements, that change one register element by
//! element. The CPU does all of them for some elements, and then for the next ones.

use syn::{BinOp, Block, Expr, ExprBinary, ExprForLoop, ExprIf, Ident, Local, Pat, RangeLimits, Stmt};

use super::conditions::has_conditions;
use super::numbers::is_made_of;
use super::stager::Stager;
use super::trees::{is_region, operator};

impl Stager<'_> {
    /// The statement that stands for the first ones, and how many these are, if they change one variable.
    pub(super) fn in_strips(&mut self, stmts: &[Stmt]) -> Option<(Stmt, usize)> {
        let (changes, variable, looped) = self.changes_of_one(stmts)?;
        let span = variable.span();
        let strip = self.internal(span, "__strip");
        let mut body: Block = syn::parse_quote!({ #(#changes)* });
        self.strip = Some(strip.clone());
        self.block(&mut body);
        self.strip = None;
        let [strips, begin, end] = ["strips", "strip", "end_strip"].map(|name| self.library(span, name));
        let (number, backend) = (self.internal(span, "__number"), self.backend(span));
        let looped = syn::parse_quote_spanned!(span=> for #number in #strips::<#backend, _, #looped>(&#variable) {
            let mut #strip = #begin::<#backend, _>(&#variable, #number);
            #body
            #end::<#backend, _>(&mut #variable, &#strip);
        });
        Some((looped, changes.len()))
    }

    /// The first statements that only change one variable, element by element, this variable, and whether a loop is among them.
    fn changes_of_one<'s>(&self, stmts: &'s [Stmt]) -> Option<(&'s [Stmt], &'s Ident, bool)> {
        if self.strip.is_some() || !self.lanes.is_empty() {
            return None;
        }
        let mut changes =
            Changes { stager: self, variable: None, is_register: false, looped: false, loops: 0 };
        let change = |stmt: &&'s Stmt| {
            // rustc may leave it out.
            if has_conditions(stmt) {
                return false;
            }
            let before = changes;
            let changes_one = changes.statement(stmt);
            if !changes_one {
                changes = before;
            }
            changes_one
        };
        let all = stmts.iter().take_while(change).count();
        let variable = changes.variable.filter(|_| changes.is_register && (changes.looped || all > 1))?;
        Some((&stmts[..all], variable, changes.looped))
    }
}

/// Statements that change one variable.
#[derive(Clone, Copy)]
struct Changes<'a, 's> {
    stager: &'a Stager<'a>,
    variable: Option<&'s Ident>,
    /// Whether one of them shows that it is a register.
    is_register: bool,
    /// Whether a loop is among them.
    looped: bool,
    /// The loops around the statement that is looked at.
    loops: usize,
}

impl<'s> Changes<'_, 's> {
    fn statement(&mut self, stmt: &'s Stmt) -> bool {
        match stmt {
            Stmt::Expr(Expr::Binary(binary), _) => self.assignment(binary),
            Stmt::Expr(Expr::ForLoop(looped), _) => self.looped(looped),
            Stmt::Expr(Expr::If(branch), _) => self.branch(branch),
            Stmt::Local(local) => self.loops > 0 && self.number(local),
            Stmt::Expr(Expr::Continue(next), _) => next.label.is_none() && self.loops > 0,
            _ => false,
        }
    }

    /// The name of a number in a loop.
    fn number(&self, local: &Local) -> bool {
        let pat = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        let (Pat::Ident(name), Some(init)) = (pat, &local.init) else { return false };
        let plain = name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none();
        plain
            && local.attrs.is_empty()
            && init.diverge.is_none()
            && self.stager.lookup(&name.ident).is_none()
            && self.is_of_names(&init.expr)
            && self.stager.may_be_number_as_written(&init.expr)
    }

    /// An `if` that host numbers decide.
    fn branch(&mut self, branch: &'s ExprIf) -> bool {
        branch.else_branch.is_none()
            && self.is_of_names(&branch.cond)
            && branch.then_branch.stmts.iter().all(|stmt| self.statement(stmt))
    }

    fn assignment(&mut self, binary: &'s ExprBinary) -> bool {
        let Expr::Path(path) = &*binary.left else { return false };
        let Some(name) = path.path.get_ident() else { return false };
        let is_register = self.stager.is_register(&binary.right);
        // Shifts alone are not looked through to their end.
        let one = (is_register || self.is_register || self.loops > 0)
            && self.stager.changed_in_place(binary, true).is_some()
            && self.variable.is_none_or(|variable| variable == name)
            && self.is_free(&binary.right);
        if one {
            self.variable = Some(name);
            self.is_register |= is_register;
        }
        one
    }

    fn looped(&mut self, looped: &'s ExprForLoop) -> bool {
        let (Pat::Ident(index), Expr::Range(range)) = (&*looped.pat, &*looped.expr) else { return false };
        let (Some(start), Some(end)) = (&range.start, &range.end) else { return false };
        // What is looked up here must be the same inside of the loop.
        let plain =
            looped.label.is_none() && looped.attrs.is_empty() && self.stager.lookup(&index.ident).is_none();
        let bounds = matches!(range.limits, RangeLimits::HalfOpen(_))
            && looks_like_number(start)
            && looks_like_number(end);
        self.looped = true;
        self.loops += 1;
        let all = plain && bounds && looped.body.stmts.iter().all(|stmt| self.statement(stmt));
        self.loops -= 1;
        all
    }

    /// Whether an operand costs nothing until its elements are computed.
    fn is_free(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_free(&paren.expr),
            Expr::Binary(binary) => {
                // Other comparisons compute a whole mask.
                let tree = operator(&binary.op).is_some() || self.stager.compares_registers(binary);
                tree && self.is_free(&binary.left) && self.is_free(&binary.right)
            }
            Expr::MethodCall(call) => {
                let object = matches!(&*call.receiver, Expr::Path(_));
                object && (is_region(call) || call.method == "get") && call.args.iter().all(looks_like_number)
            }
            number => self.is_of_names(number),
        }
    }

    /// Whether an expression is made of literals, of names that are no variables, and of elements of arrays with such names.
    fn is_of_names(&self, expr: &Expr) -> bool {
        is_made_of(expr, &|leaf| match leaf {
            Expr::Path(path) => !path.path.get_ident().is_some_and(|name| self.stager.is_variable(name)),
            Expr::Cast(cast) => self.is_of_names(&cast.expr),
            Expr::Index(element) => self.is_of_names(&element.expr) && self.is_of_names(&element.index),
            _ => false,
        })
    }
}

/// Whether an assignment shifts by a number of the host, as written.
pub(super) fn shifts_by_number(binary: &ExprBinary) -> bool {
    matches!(binary.op, BinOp::ShlAssign(_) | BinOp::ShrAssign(_)) && looks_like_number(&binary.right)
}

/// Whether an expression is made of names and literals, like numbers of the host.
fn looks_like_number(expr: &Expr) -> bool {
    is_made_of(expr, &|leaf| match leaf {
        Expr::Cast(cast) => looks_like_number(&cast.expr),
        leaf => matches!(leaf, Expr::Path(_)),
    })
}
