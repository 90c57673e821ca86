//! `=` and the compound assignments.

use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprAssign, ExprBinary, ExprMethodCall, ExprPath, Ident, UnOp};

use super::arms::{Leaves, each_leaf, has_arms};
use super::built_ins::of_method;
use super::lent::object;
use super::stager::{Elements, Name, Stager};
use super::trees::operator;
use super::uses::count_uses;
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    pub(super) fn assign(&mut self, assign: &mut ExprAssign) -> Expr {
        if self.lanes.is_empty() && has_arms(&assign.right) && Leaves::of(&assign.right).has_numbers() {
            // In each arm, where a number has the type of the variable.
            let (attrs, left, eq_token) = (assign.attrs.clone(), assign.left.clone(), assign.eq_token);
            let mut arms = (*assign.right).clone();
            each_leaf(&mut arms, &mut |leaf| {
                let (attrs, left, right) = (attrs.clone(), left.clone(), Box::new(leaf.clone()));
                *leaf = Expr::Assign(ExprAssign { attrs, left, eq_token, right });
            });
            self.statement(&mut arms, false);
            return arms;
        }
        let how = Elements::of(&assign.right);
        self.value(&mut assign.right);
        let span = assign.eq_token.span;
        let backend = self.backend(span);
        let store = self.library(assign.right.span(), "store");
        let how = self.library(assign.right.span(), how.name());
        let value = &assign.right;
        // Evaluated before the variable is borrowed, because it may read the variable.
        let rhs = self.temporary(span, 0);
        match &mut *assign.left {
            Expr::Path(path) => {
                let Some(name) = path.path.get_ident() else {
                    return self.errors.in_place(path.span(), messages::ASSIGN_TARGET);
                };
                match self.lookup(name) {
                    Some(Name::Variable(mark)) => {
                        syn::parse_quote_spanned!(span=> {
                            let #rhs = #value;
                            #store::<#backend, #how, _, _>(&mut #name, #rhs, #mark)
                        })
                    }
                    Some(Name::Place) => self.errors.in_place(name.span(), messages::ASSIGN_PLACE),
                    Some(_) => self.errors.in_place(name.span(), messages::NOT_MUTABLE),
                    None => self.errors.in_place(name.span(), messages::ASSIGN_TARGET),
                }
            }
            // `_ = e` stores nothing.
            Expr::Infer(_) => Expr::Assign(assign.clone()),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                let target = &unary.expr;
                let Some(mark) = self.exclusive_mark(target) else {
                    return self.errors.in_place(unary.span(), messages::ASSIGN_TARGET);
                };
                syn::parse_quote_spanned!(span=> {
                    let #rhs = #value;
                    #store::<#backend, #how, _, _>(&mut *#target, #rhs, #mark)
                })
            }
            Expr::MethodCall(call) => self.errors.in_place(call.method.span(), messages::ASSIGN_PLACE),
            Expr::Index(index) => self.errors.in_place(index.span(), messages::ASSIGN_ELEMENT),
            other => self.errors.in_place(other.span(), messages::ASSIGN_TARGET),
        }
    }

    /// `x += e`; the right side is evaluated first.
    pub(super) fn op_assign(&mut self, binary: &mut ExprBinary) -> Expr {
        // Before the right side is rewritten: errors are shown at the tokens that the user wrote.
        let (shown, _) = ends(&binary.right);
        let changed = self.changed_in_place(binary).map(|(name, mark)| (name.clone(), mark.clone()));
        self.value(&mut binary.right);
        let span = binary.op.span();
        if let (Some((name, mark)), Some(operator)) = (changed, operator(&binary.op)) {
            self.operand(&mut binary.right);
            let function = if self.strip.is_some() { "compound_in" } else { "compound" };
            let (touch, compound) = (self.library(span, "touch"), self.library(name.span(), function));
            let (krate, backend) = (self.model.krate(span), self.backend(span));
            let (op, right) = (Ident::new(operator, span), &binary.right);
            let strip = self.strip.iter().map(|strip| quote_spanned!(span=> &mut #strip));
            let touched = quote_spanned!(span=> #touch::<#backend, _>(&#name, #mark););
            // Mistakes are shown at the operator.
            let by_reference = quote_spanned!(span=> &mut);
            let combined = quote_spanned!(name.span()=>
                #compound::<#backend, #krate::__private::ops::#op, _, _>(#by_reference #name, &#right #(, #strip)*));
            return syn::parse_quote!({ #touched #combined; });
        }
        self.computed_tree(&mut binary.right);
        let rhs = self.temporary(shown, 0);
        let (op, value) = (&binary.op, &binary.right);
        match &mut *binary.left {
            Expr::Path(ExprPath { path, .. }) if path.get_ident().is_some() => {
                let backend = self.backend(span);
                let name = path.get_ident();
                match name.and_then(|name| self.lookup(name)) {
                    Some(Name::Variable(mark)) => {
                        // The operator traits of registers store; only the depth must be checked.
                        let touch = self.library(span, "touch");
                        syn::parse_quote_spanned!(span=> {
                            let #rhs = #value;
                            #touch::<#backend, _>(&#name, #mark);
                            #name #op #rhs;
                        })
                    }
                    Some(Name::Place) => {
                        syn::parse_quote_spanned!(span=> { let #rhs = #value; #name #op #rhs; })
                    }
                    Some(_) => self.errors.in_place(path.span(), messages::NOT_MUTABLE),
                    None => self.errors.in_place(path.span(), messages::ASSIGN_TARGET),
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                let target = &unary.expr;
                let Some(mark) = self.exclusive_mark(target) else {
                    return self.errors.in_place(unary.span(), messages::ASSIGN_TARGET);
                };
                let (touch, backend) = (self.library(span, "touch"), self.backend(span));
                syn::parse_quote_spanned!(span=> {
                    let #rhs = #value;
                    #touch::<#backend, _>(&*#target, #mark);
                    *#target #op #rhs;
                })
            }
            Expr::MethodCall(call) if of_method(&call.method.to_string()).gives_value => {
                self.errors.in_place(call.method.span(), messages::VALUE)
            }
            Expr::MethodCall(_) => {
                self.receiver(&mut binary.left);
                let place = &binary.left;
                let target = self.temporary(span, 1);
                syn::parse_quote_spanned!(span=> {
                    let #rhs = #value;
                    let mut #target = #place;
                    #target #op #rhs;
                })
            }
            other => self.errors.in_place(other.span(), messages::ASSIGN_TARGET),
        }
    }

    /// The variable that `x += e` changes element by element, and its mark: `e` is a register, as written,
    /// and does not read it.
    pub(super) fn changed_in_place<'s, 'e>(
        &'s self,
        binary: &'e ExprBinary,
    ) -> Option<(&'e Ident, &'s Ident)> {
        let Expr::Path(left) = &*binary.left else { return None };
        let name = left.path.get_ident()?;
        let Some(Name::Variable(mark)) = self.lookup(name) else { return None };
        let unread = count_uses(binary.right.to_token_stream(), &name.unraw()) == 0;
        (is_assignment(&binary.op) && unread && self.is_register(&binary.right)).then_some((name, mark))
    }

    /// Whether a call assigns a tree of operators that does not read the object, as written.
    pub(super) fn is_assigned_tree(&self, call: &ExprMethodCall) -> bool {
        let (Some(object), Some(value)) = (object(&call.receiver), call.args.first()) else { return false };
        self.is_register(value) && count_uses(value.to_token_stream(), &object.unraw()) == 0
    }

    /// `m.row_mut(i).assign(..)`: the arguments are evaluated before the place is taken.
    pub(super) fn hoisted(&mut self, call: &ExprMethodCall) -> Expr {
        let mut call = call.clone();
        let mut lets = Vec::new();
        for (i, arg) in call.args.iter_mut().enumerate() {
            self.operands_apart(arg, &mut lets);
            let name = self.temporary(ends(arg).0, i);
            lets.push(syn::parse_quote_spanned!(name.span()=> let #name = #arg;));
            *arg = syn::parse_quote!(#name);
        }
        syn::parse_quote_spanned!(call.method.span()=> { #(#lets)* #call })
    }
}

/// Whether it is the operator of a compound assignment.
pub(super) fn is_assignment(op: &BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
