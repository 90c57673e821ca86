//! `if`, `while`, `loop`: the type of the condition decides what they do.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Block, Expr, ExprIf, ExprLoop, ExprWhile, Ident, Type};

use super::arms::numbers_of_exits;
use super::around::{Around, Exit, Left, Numbers, values_of_breaks};
use super::stager::Stager;
use crate::messages;
use crate::model::ends;

impl Stager<'_> {
    /// `if let` matches a host value and stays Rust's.
    fn if_let(&mut self, branch: &mut ExprIf) -> Expr {
        self.scoped(|s| {
            if let Expr::Let(cond) = &mut *branch.cond {
                s.value(&mut cond.expr);
                let mut variables = Vec::new();
                s.pattern(&mut cond.pat, &mut variables);
                s.declared(variables, &mut branch.then_branch);
            }
        });
        if let Some((_, other)) = &mut branch.else_branch {
            self.value(other);
        }
        Expr::If(branch.clone())
    }

    /// A block whose pattern variables are declared first.
    pub(super) fn declared(&mut self, variables: Vec<Ident>, block: &mut Block) {
        let mut stmts = Vec::new();
        for ident in variables {
            self.declare(&ident, &mut stmts);
        }
        self.block(block);
        stmts.append(&mut block.stmts);
        block.stmts = stmts;
    }

    /// `if` without a value: the arms that the condition selects, as iterations of a `for`.
    pub(super) fn if_statement(&mut self, branch: &mut ExprIf) -> Expr {
        if matches!(&*branch.cond, Expr::Let(_)) {
            return self.if_let(branch);
        }
        let span = branch.if_token.span;
        let (shown, _) = ends(&branch.cond);
        self.value(&mut branch.cond);
        self.block(&mut branch.then_branch);
        let other = branch.else_branch.as_mut().map(|(token, other)| {
            match &mut **other {
                Expr::If(nested) => **other = self.if_statement(nested),
                other => self.value(other),
            }
            quote_spanned!(token.span=> else { #other })
        });
        let (cond, then) = (&branch.cond, &branch.then_branch);
        let backend = self.backend(shown);
        let arms = self.library(shown, "branch");
        let arm = self.internal(span, "__arm");
        // The span of the condition, so that a wrong condition is reported there and not at the attribute.
        let condition = self.internal(shown, "__condition");
        let arms = quote_spanned!(shown=> #arms::<#backend, _>(#condition));
        let iterator = self.internal(shown, "__arms");
        syn::parse_quote_spanned!(span=> {
            let #condition = #cond;
            let #iterator = #arms;
            for #arm in #iterator { if #arm #then #other }
        })
    }

    /// `if` with a value: every executed arm sets the slot.
    pub(super) fn if_value(&mut self, branch: &mut ExprIf, numbers: &Numbers) -> Expr {
        if matches!(&*branch.cond, Expr::Let(_)) {
            return self.if_let(branch);
        }
        if self.chooses_memory(&Expr::If(branch.clone())) {
            return self.if_of_memory(branch);
        }
        let span = branch.if_token.span;
        let (shown, _) = ends(&branch.cond);
        self.value(&mut branch.cond);
        let slot = self.internal(span, "__slot");
        let arm = self.internal(span, "__arm");
        let mut other = match branch.else_branch.as_mut().map(|(_, other)| &mut **other) {
            Some(Expr::Block(block)) => block.block.clone(),
            Some(other) => syn::parse_quote!({ #other }),
            None => return Expr::If(branch.clone()),
        };
        let then = self.arm(&slot, &mut branch.then_branch, numbers);
        let other = self.arm(&slot, &mut other, numbers);
        let cond = &branch.cond;
        let backend = self.backend(shown);
        let arms = self.library(shown, "branch");
        let condition = self.internal(shown, "__condition");
        let arms = quote_spanned!(shown=> #arms::<#backend, _>(#condition));
        let iterator = self.internal(shown, "__arms");
        // Declared outside the arms, which only set it.
        let slots = self.library(span, "Slot");
        syn::parse_quote_spanned!(span=> {
            let mut #slot = #slots::<#backend, _>::new();
            let #condition = #cond;
            let #iterator = #arms;
            for #arm in #iterator {
                if #arm #then else #other
            }
            #slot.get()
        })
    }

    pub(super) fn while_loop(&mut self, looped: &mut ExprWhile) -> Expr {
        if let Expr::Let(cond) = &*looped.cond {
            return self.errors.in_place(cond.let_token.span, messages::WHILE_LET);
        }
        let span = looped.while_token.span;
        self.enclosed(Around::Condition, |s| s.value(&mut looped.cond));
        let left = self.looped(looped.label.as_ref(), span, None, |s| s.block(&mut looped.body));
        let cond = &looped.cond;
        self.rounds(span, &left, &quote!(#cond), &looped.body)
    }

    /// `loop` repeats until it is left. Its value is for this annotated type.
    pub(super) fn endless_loop(&mut self, looped: &mut ExprLoop, annotation: Option<&Type>) -> Expr {
        let span = looped.loop_token.span;
        let before = self.ways_out;
        let values = values_of_breaks(&looped.body, looped.label.as_ref(), true);
        let numbers = numbers_of_exits(&values, annotation);
        let left = self.looped(looped.label.as_ref(), span, Some(numbers), |s| s.block(&mut looped.body));
        let (endless, backend) = (self.library(span, "endless"), self.backend(span));
        if self.ways_out == before {
            return self.errors.in_place(span, messages::LOOP);
        }
        self.rounds(span, &left, &quote_spanned!(span=> #endless::<#backend>()), &looped.body)
    }

    /// A loop as long as a condition holds.
    fn rounds(&self, span: Span, left: &Left, cond: &TokenStream, body: &Block) -> Expr {
        let state = self.internal(span, "__while");
        let backend = self.backend(span);
        let begin = self.library(span, "while_loop");
        let label = left.exit.as_ref().map(Exit::label);
        let body = self.round(span, left.round.as_ref(), body);
        let inside = quote_spanned!(span=>
            let mut #state = #begin::<#backend, _>();
            #label while #state.enter() {
                if !#state.test(#cond) {
                    break;
                }
                #body
            }
        );
        self.scope(span, left.exit.as_ref(), left.slot.as_ref(), inside)
    }

    /// A name for the value of an expression whose tokens begin at `span`, where mistakes in its use are
    /// shown.
    pub(super) fn temporary(&self, span: Span, index: usize) -> Ident {
        self.internal(span, &format!("__arg{index}"))
    }
}
