//! `let sum = a + b * 2;`: a tree of operators that only other trees use becomes part of these. The CPU never
//! stores its elements, which have the promoted type.

use syn::spanned::Spanned;
use syn::{Expr, Ident, Local, Pat, Stmt, UnOp};

use super::built_ins::of_method;
use super::following::Following;
use super::functions_in_trees::of_trees;
use super::operands::{Operand, name_of};
use super::stager::{Name, PendingTree, Stager};
use super::trees::{call_of, call_of_mut, is_region, of_tree, operator_call};
use crate::model::Referent;

/// The most operators of a tree that names others. A name that is used twice doubles the tree, and rustc's types with it.
const MOST_OPERATORS: usize = 32;

impl Stager<'_> {
    /// The tree of operators that `local` declares, if only trees in `rest`, the following statements, use it.
    pub(super) fn stays_pending(&self, local: &Local, rest: Following<'_>) -> Option<PendingTree> {
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
        let plain = name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none();
        let tree = self.tree_of(&init.expr);
        if !plain
            || !local.attrs.is_empty()
            || init.diverge.is_some()
            || !self.lanes.is_empty()
            || tree.other
            || tree.is_too_large()
            || !self.is_register(&init.expr)
        {
            return None;
        }
        let uses = rest.uses_of(&name.ident);
        let operands: Vec<Operand> = uses.operands().collect();
        // Each use computes the tree: a single operator is cheaper than a load, and in one statement it is
        // computed once.
        let cheap = match &operands[..] {
            [] => false,
            [first, others @ ..] => {
                tree.own.operators == 1
                    || (!first.looped
                        && others.iter().all(|other| other.statement == first.statement && !other.looped))
            }
        };
        let only_operands = !uses.is_hidden() && operands.len() == uses.all().count();
        let last = uses.all().last().map_or(0, |mention| mention.statement);
        let unused = |name: &Ident| !rest.uses_of(name).begin_until(last);
        let unchanged = !tree.changeable && tree.own.borrowed.iter().all(unused);
        (cheap && only_operands && unchanged).then_some(tree.own)
    }

    /// What the tree in `expr` consists of. It is computed with the trees that it names, and borrows what these borrow.
    fn tree_of(&self, expr: &Expr) -> Tree {
        let mut parts = Parts::default();
        parts.expr(expr);
        let mut tree = Tree {
            written: parts.operators,
            other: parts.other || parts.operators == 0,
            changeable: false,
            own: PendingTree::default(),
        };
        tree.own.operators = parts.operators;
        for (name, viewed) in parts.names {
            match self.lookup(name) {
                Some(Name::Shared(Referent::Buffer(_) | Referent::Other)) => tree.changeable = true,
                Some(Name::Variable(_) | Name::Exclusive(_)) if viewed => {
                    tree.own.borrowed.push(name.clone());
                }
                Some(Name::Pending(named)) => {
                    tree.own.operators += named.operators;
                    tree.own.borrowed.extend(named.borrowed.iter().cloned());
                }
                _ => {}
            }
        }
        tree
    }

    /// The tree in `value`, staged, as an operand of other trees, and its depth. Its own operands, which it borrows, become
    /// `let`s.
    pub(super) fn pending(&mut self, value: &Expr, out: &mut Vec<Stmt>) -> Option<(Expr, usize)> {
        if let Some(tree) = call_of(value, "value") {
            let (mut tree, depth) = (tree.clone(), self.depth(tree));
            self.operands_apart(&mut tree, out);
            return Some((self.inner(&tree), depth));
        }
        let mut function = value.clone();
        self.function_in_tree(&mut function);
        operator_call(&mut function)?;
        let depth = self.depth(&function);
        self.operands_apart(&mut function, out);
        Some((function, depth))
    }

    /// The operands of `tree`, if it is a staged operator, as `let`s.
    pub(super) fn operands_apart(&mut self, tree: &mut Expr, out: &mut Vec<Stmt>) {
        let Some(call) = operator_call(tree) else { return };
        for arg in &mut call.args {
            if let Expr::Reference(reference) = arg {
                self.operand_apart(&mut reference.expr, out);
            }
        }
    }

    fn operand_apart(&mut self, expr: &mut Expr, out: &mut Vec<Stmt>) {
        match expr {
            Expr::Paren(paren) => return self.operand_apart(&mut paren.expr, out),
            Expr::Path(_) | Expr::Lit(_) => return,
            Expr::MethodCall(call) => {
                // A view borrows its object.
                if let Some(Expr::Reference(object)) = call_of_mut(&mut call.receiver, "views") {
                    self.operand_apart(&mut object.expr, out);
                }
            }
            // A function has no `inner`.
            _ => match call_of_mut(expr, "inner") {
                Some(tree) => self.operands_apart(tree, out),
                None => self.operands_apart(expr, out),
            },
        }
        let number = self.new_number();
        let name = self.internal(expr.span(), &format!("__operand{number}"));
        out.push(syn::parse_quote!(let #name = #expr;));
        *expr = syn::parse_quote!(#name);
    }
}

/// A tree of operators.
struct Tree {
    own: PendingTree,
    /// The operators that are written in it.
    written: usize,
    /// Whether there is no operator, or something that is no part of a tree.
    other: bool,
    /// Whether it reads what may change before it is used.
    changeable: bool,
}

impl Tree {
    /// Whether the trees that it names make it too large.
    fn is_too_large(&self) -> bool {
        self.own.operators > MOST_OPERATORS.max(self.written)
    }
}

/// What a tree of operators consists of.
#[derive(Default)]
struct Parts<'e> {
    operators: usize,
    /// The names in it, and whether a region of the object is read in place.
    names: Vec<(&'e Ident, bool)>,
    /// Whether there is something else than operators, names, numbers and methods that return values.
    other: bool,
}

impl<'e> Parts<'e> {
    fn expr(&mut self, expr: &'e Expr) {
        match expr {
            Expr::Paren(paren) => self.expr(&paren.expr),
            Expr::Binary(binary) if of_tree(&binary.op).is_some() => {
                self.operators += 1;
                self.expr(&binary.left);
                self.expr(&binary.right);
            }
            Expr::Call(call) if of_trees(call).is_some() => {
                self.operators += 1;
                call.args.iter().for_each(|arg| self.expr(arg));
            }
            Expr::MethodCall(call) if of_method(&call.method.to_string()).gives_value => {
                if is_region(call)
                    && let Some(object) = name_of(&call.receiver)
                {
                    self.names.push((object, true));
                }
                // Operators in these are no part of the tree.
                let operators = self.operators;
                self.expr(&call.receiver);
                call.args.iter().for_each(|arg| self.expr(arg));
                self.operators = operators;
            }
            Expr::Cast(cast) => self.expr(&cast.expr),
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => self.expr(&unary.expr),
            Expr::Path(path) => self.names.extend(path.path.get_ident().map(|name| (name, false))),
            Expr::Lit(_) => {}
            _ => self.other = true,
        }
    }
}
