//! Statements inside SIMD control flow: each runs as usual, and then the inactive lanes get their old values back.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprAssign, ExprBinary, ExprMethodCall, Ident, Stmt, UnOp};

use super::around::SimdMacro;
use super::assign::is_assignment;
use super::built_in::BuiltIn;
use super::built_ins::of_method;
use super::following::{Following, UsesOfBlock};
use super::lent::borrowed_again;
use super::parts::Whole;
use super::printing::is_printf;
use super::stager::Stager;
use super::tuples::one_by_one;
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// The statements of an arm or body.
    pub(super) fn simd_block(&mut self, block: &mut Block) {
        self.scoped(|s| {
            let mut stmts = Vec::with_capacity(block.stmts.len());
            let mut rest = one_by_one(std::mem::take(&mut block.stmts)).into_iter();
            let uses = UsesOfBlock::default();
            while let Some(stmt) = rest.next() {
                s.under_conditions(stmt, &mut stmts, |s, stmt, stmts| match stmt {
                    Stmt::Local(local) => s.local(local, Following::new(rest.as_slice(), &uses), stmts),
                    Stmt::Expr(mut expr, _) => {
                        s.simd_statement(&mut expr);
                        stmts.push(Stmt::Expr(expr, Some(Default::default())));
                    }
                    Stmt::Macro(found) => {
                        let expr = match SimdMacro::of(&found.mac) {
                            Some(which) => s.simd(which, &found.mac),
                            None if is_printf(&found.mac) => s.printf(&found.mac),
                            None => s.refused_macro(&found.mac),
                        };
                        stmts.push(Stmt::Expr(expr, Some(Default::default())));
                    }
                    Stmt::Item(item) => {
                        s.errors.add(item.span(), messages::ITEM);
                    }
                });
            }
            block.stmts = stmts;
        });
    }

    fn simd_statement(&mut self, expr: &mut Expr) {
        *expr = match &mut *expr {
            Expr::Assign(assign) => self.simd_assign(assign),
            Expr::Binary(binary) if is_assignment(&binary.op) => self.simd_op_assign(binary),
            Expr::MethodCall(call) if of_method(&call.method.to_string()).assigns => self.simd_change(call),
            Expr::MethodCall(call) if self.known_method(call).scatters => match self.method(call) {
                Some(other) => other,
                None => return,
            },
            Expr::MethodCall(call) if self.is_changed_by_method(call) => self.simd_method(call),
            Expr::Break(found) if found.label.is_none() && found.expr.is_none() => {
                self.lanes_leave(found.break_token.span, true)
            }
            Expr::Continue(found) if found.label.is_none() => {
                self.lanes_leave(found.continue_token.span, false)
            }
            Expr::ForLoop(looped) if looped.label.is_none() => self.simd_for(looped),
            Expr::Block(block) if block.label.is_none() => {
                self.simd_block(&mut block.block);
                return;
            }
            Expr::Macro(found) if SimdMacro::of(&found.mac).is_some() => {
                let Some(which) = SimdMacro::of(&found.mac) else { return };
                self.simd(which, &found.mac)
            }
            Expr::Macro(found) if is_printf(&found.mac) => self.printf(&found.mac),
            Expr::Paren(paren) => {
                self.simd_statement(&mut paren.expr);
                return;
            }
            other => {
                let (span, message) =
                    refused_in_lanes(other).unwrap_or_else(|| (ends(other).0, messages::SIMD_STATEMENT));
                self.errors.in_place(span, message)
            }
        };
    }

    /// The variable, or the referent of a reference, that a statement changes.
    pub(super) fn changed_variable(&mut self, target: &Expr) -> Option<Expr> {
        match target {
            Expr::Paren(paren) => self.changed_variable(&paren.expr),
            Expr::Group(group) => self.changed_variable(&group.expr),
            Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.is_variable(name)) => {
                Some(target.clone())
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                self.exclusive_mark(&unary.expr).map(|_| target.clone())
            }
            Expr::Index(_) | Expr::Field(_) => {
                let Whole::Mutable(_) = self.whole(target)? else { return None };
                let mut part = target.clone();
                self.part(&mut part);
                Some(part)
            }
            _ => self.exclusive_mark(target).map(|_| syn::parse_quote!(*#target)),
        }
    }

    /// A statement that changes a variable, followed by restoring the other lanes.
    pub(super) fn keeping(&self, span: Span, indices: &[Stmt], target: &Expr, statement: &Expr) -> Expr {
        let Some(lanes) = self.lanes.last() else { return statement.clone() };
        let (mask, backend) = (self.mask(lanes, span), self.backend(span));
        let [load, keep] = ["load", "simd_keep"].map(|name| self.library(span, name));
        let old = self.internal(span, "__old");
        syn::parse_quote_spanned!(span=> {
            #(#indices)*
            let #old = #load::<#backend, _>(&#target);
            #statement;
            #keep::<#backend, _, _, _>(&mut #target, #old, #mask);
        })
    }

    /// Whether a method may change a variable, for all that its name shows.
    fn is_changed_by_method(&self, call: &ExprMethodCall) -> bool {
        self.known_method(call).is_other()
            && !self.refuses_method(&call.receiver, &call.method)
            && self.is_changeable(&call.receiver)
    }

    /// `x.method(..);` of a variable. As in CM, what the method changes, it changes in the active lanes.
    fn simd_method(&mut self, call: &mut ExprMethodCall) -> Expr {
        let indices = self.indices_once(&mut call.receiver);
        let target = self.changed_variable(&call.receiver);
        let span = call.method.span();
        let mut statement = Expr::MethodCall(call.clone());
        let tree = self.is_assigned_tree(call);
        if let Some(other) = self.method_on(call, true, tree) {
            statement = other;
        } else if let Expr::MethodCall(own) = &mut statement {
            own.clone_from(call);
        }
        match target {
            Some(target) => self.keeping(span, &indices, &target, &statement),
            None => statement,
        }
    }

    fn simd_assign(&mut self, assign: &mut ExprAssign) -> Expr {
        let indices = self.indices_once(&mut assign.left);
        let target = self.changed_variable(&assign.left);
        let span = assign.eq_token.span;
        let statement = self.assign(assign);
        match target {
            Some(target) => self.keeping(span, &indices, &target, &statement),
            // Refused already, or `_ = e`.
            None => statement,
        }
    }

    fn simd_op_assign(&mut self, binary: &mut ExprBinary) -> Expr {
        let span = binary.op.span();
        let indices = self.indices_once(&mut binary.left);
        if let Some(target) = self.changed_variable(&binary.left) {
            let statement = self.op_assign(binary);
            return self.keeping(span, &indices, &target, &statement);
        }
        if self.names_place(&binary.left) {
            *binary.left = borrowed_again(&binary.left);
        }
        let Expr::MethodCall(_) = &*binary.left else { return self.op_assign(binary) };
        if self.refuses_value(&binary.left) {
            return self.op_assign(binary);
        }
        let (shown, _) = ends(&binary.right);
        self.value(&mut binary.right);
        self.receiver(&mut binary.left);
        let rhs = self.temporary(shown, 0);
        let (op, value, place) = (&binary.op, &binary.right, &binary.left);
        let target = self.temporary(span, 1);
        let changed = self.keeping_place(span, &target, &quote_spanned!(span=> #target #op #rhs));
        syn::parse_quote_spanned!(span=> {
            let #rhs = #value;
            let mut #target = #place;
            #changed
        })
    }

    fn refuses_value(&self, place: &Expr) -> bool {
        matches!(place, Expr::MethodCall(call) if of_method(&call.method.to_string()).gives_value)
    }

    fn keeping_place(&self, span: Span, target: &Ident, statement: &TokenStream) -> TokenStream {
        let Some(lanes) = self.lanes.last() else { return statement.clone() };
        let (mask, backend) = (self.mask(lanes, span), self.backend(span));
        let [held, keep] = ["simd_held", "simd_keep_place"].map(|name| self.library(span, name));
        let (old, now) = (self.internal(span, "__old"), self.internal(span, "__now"));
        quote_spanned!(span=>
            let #now = #mask;
            let #old = #held::<#backend, _, _>(&#target, #now);
            #statement;
            #keep::<#backend, _, _>(&mut #target, #old, #now);
        )
    }

    /// `x.assign(e)`, `x.merge(..)`, of a variable or a place.
    fn simd_change(&mut self, call: &mut ExprMethodCall) -> Expr {
        let span = call.method.span();
        let indices = self.indices_once(&mut call.receiver);
        if let Some(target) = self.changed_variable(&call.receiver) {
            let statement = self.method(call).unwrap_or_else(|| Expr::MethodCall(call.clone()));
            return self.keeping(span, &indices, &target, &statement);
        }
        // `(x.row_mut(0)).assign(e)`
        while let Expr::Paren(paren) = &*call.receiver {
            call.receiver = paren.expr.clone();
        }
        if self.names_place(&call.receiver) {
            *call.receiver = borrowed_again(&call.receiver);
        }
        if !matches!(&*call.receiver, Expr::MethodCall(_) | Expr::Path(_)) {
            return self.errors.in_place(span, messages::SIMD_STATEMENT);
        }
        if let Expr::Path(path) = &*call.receiver {
            // It may be a reference, to a variable that nothing here shows.
            return self.errors.in_place(path.span(), messages::SIMD_TARGET);
        }
        if self.refuses_value(&call.receiver) {
            return self.method(call).unwrap_or_else(|| Expr::MethodCall(call.clone()));
        }
        // The arguments first, as outside.
        let target = self.temporary(span, call.args.len());
        // The name of the place hides its object.
        let tree = self.is_assigned_tree(call);
        let mut place = (*call.receiver).clone();
        let mut inner = call.clone();
        inner.receiver = syn::parse_quote_spanned!(span=> #target);
        if let Some(other) = self.method_on(&mut inner, false, tree) {
            return other;
        }
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (i, arg) in inner.args.iter_mut().enumerate() {
            let name = self.temporary(ends(arg).0, i);
            values.push(std::mem::replace(arg, syn::parse_quote!(#name)));
            names.push(name);
        }
        self.receiver(&mut place);
        let changed = self.keeping_place(span, &target, &quote!(#inner));
        // A `match` keeps the temporaries of the arguments, which operators with a variable borrow.
        syn::parse_quote_spanned!(span=> match (#(#values,)*) {
            (#(#names,)*) => {
                let mut #target = #place;
                #changed
            }
        })
    }

    /// A method call inside SIMD control flow, with rewritten arguments: reductions cover the active lanes, and
    /// scattered accesses skip the others.
    pub(super) fn in_lanes(&mut self, call: &mut ExprMethodCall, known: &BuiltIn) -> Option<Expr> {
        let lanes = self.lanes.last()?.clone();
        let span = call.method.span();
        if known.blocks {
            return Some(self.errors.in_place(span, messages::SIMD_BLOCK));
        }
        let (mask, backend) = (self.mask(&lanes, span), self.backend(span));
        let name = call.method.to_string();
        if (name == "any" || name == "all") && call.args.is_empty() {
            let function = self.library(span, &format!("simd_{name}"));
            let receiver = &call.receiver;
            return Some(syn::parse_quote_spanned!(span=> #function::<#backend, _, _>(#receiver, #mask)));
        }
        if !known.scatters || call.args.is_empty() {
            return None;
        }
        if name.ends_with("_masked") {
            let function = self.library(span, "active_mask");
            let given = &call.args[0];
            call.args[0] = syn::parse_quote_spanned!(span=> #function::<#backend, _, _>(#given, #mask));
        } else {
            call.method = Ident::new(&format!("{name}_masked"), span);
            call.args.insert(0, syn::parse_quote_spanned!(span=> #mask));
        }
        None
    }
}

/// The mistake in an expression inside SIMD control flow, with its span.
pub(super) fn refused_in_lanes(expr: &Expr) -> Option<(Span, &'static str)> {
    let at = |span: Span| Some((span, messages::SIMD_CONTROL));
    match expr {
        Expr::If(found) => at(found.if_token.span),
        Expr::While(found) => at(found.while_token.span),
        Expr::ForLoop(found) => at(found.for_token.span),
        Expr::Loop(found) => at(found.loop_token.span),
        Expr::Match(found) => at(found.match_token.span),
        Expr::Return(found) => at(found.return_token.span),
        Expr::Break(found) => at(found.break_token.span),
        Expr::Continue(found) => at(found.continue_token.span),
        Expr::Reference(found) if found.mutability.is_some() => {
            Some((found.and_token.span(), messages::SIMD_REFERENCE))
        }
        // The other lanes get their values back after statements only.
        Expr::Assign(found) => Some((found.eq_token.span(), messages::SIMD_VALUE)),
        Expr::Binary(found) if is_assignment(&found.op) => Some((found.op.span(), messages::SIMD_VALUE)),
        Expr::MethodCall(found) if of_method(&found.method.to_string()).assigns => {
            Some((found.method.span(), messages::SIMD_VALUE))
        }
        // Statements in them would change all lanes.
        Expr::Block(_) | Expr::Closure(_) => Some((ends(expr).0, messages::SIMD_STATEMENT)),
        _ => None,
    }
}
