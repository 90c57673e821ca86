//! `if`, `while`, `loop`: the type of the condition decides what they do.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Block, Expr, ExprIf, ExprLoop, ExprWhile, Ident, Type};

use super::arms::is_else_if;
use super::around::{Around, Exit, Left, Numbers, values_of_breaks};
use super::stager::Stager;
use crate::messages;
use crate::model::ends;
use crate::unparsed::unparsed;

/// The most `if`s of a chain that are parsed again with what is around them: each one is inside of those before.
const LONG: usize = 8;

impl Stager<'_> {
    /// `if let` without a value matches a host value and stays Rust's.
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
        let span = branch.if_token.span;
        let mut decisions: Vec<(Span, Span, TokenStream, Block, Exit)> = Vec::new();
        let mut next = branch;
        // A chain of `else if` may be long, so it is no recursion.
        let mut other = loop {
            if matches!(&*next.cond, Expr::Let(_)) {
                let last = match decisions.last_mut() {
                    Some((.., arm)) => self.in_arm(arm, |s| s.if_let(next)),
                    None => self.if_let(next),
                };
                if decisions.is_empty() {
                    return last;
                }
                break Some(last.to_token_stream());
            }
            let shown = self.staged_condition(next);
            let mut arm = self.exit(next.if_token.span, "arm");
            self.in_arm(&mut arm, |s| s.block(&mut next.then_branch));
            decisions.push((
                next.if_token.span,
                shown,
                next.cond.to_token_stream(),
                next.then_branch.clone(),
                arm,
            ));
            match next.else_branch.as_mut().map(|(_, other)| &mut **other) {
                Some(Expr::If(branch)) => next = branch,
                Some(other) => {
                    match decisions.last_mut() {
                        Some((.., arm)) => self.in_arm(arm, |s| s.value(other)),
                        None => self.value(other),
                    }
                    break Some(other.to_token_stream());
                }
                None => break None,
            }
        };
        let count = decisions.len();
        for (span, shown, cond, then, arm) in decisions.into_iter().rev() {
            let alternative = other.map(|other| quote_spanned!(span=> else { #other }));
            other = Some(self.decided(span, shown, &cond, &quote!(#then #alternative), &arm));
        }
        if count > LONG {
            self.has_unparsed = true;
            return unparsed(span, &quote_spanned!(span=> { #other }));
        }
        syn::parse_quote_spanned!(span=> { #other })
    }

    /// Stages the condition of an `if`. Returns where it is shown.
    fn staged_condition(&mut self, branch: &mut ExprIf) -> Span {
        let (shown, _) = ends(&branch.cond);
        self.value(&mut branch.cond);
        shown
    }

    /// The statements that run the arms which a condition selects.
    fn decided(
        &self,
        span: Span,
        shown: Span,
        cond: &TokenStream,
        arms: &TokenStream,
        exit: &Exit,
    ) -> TokenStream {
        let (branch, backend) = (self.library(shown, "branch"), self.backend(shown));
        let arm = self.internal(span, "__arm");
        // The span of the condition, so that a wrong condition is reported there and not at the attribute.
        let condition = self.internal(shown, "__condition");
        let decided = quote_spanned!(shown=> #branch::<#backend, _>(#condition));
        let iterator = self.internal(shown, "__arms");
        let mut decision = quote_spanned!(span=> if #arm #arms);
        if let Some(label) = exit.if_used().map(|exit| exit.label()) {
            decision = quote_spanned!(span=> #label { #decision });
        }
        quote_spanned!(span=>
            let #condition = #cond;
            let #iterator = #decided;
            for #arm in #iterator { #decision }
        )
    }

    /// `if` with a value: every executed arm sets the slot.
    pub(super) fn if_value(&mut self, branch: &mut ExprIf, numbers: &Numbers) -> Expr {
        if self.chooses_memory(&Expr::If(branch.clone())) {
            return self.if_of_memory(branch);
        }
        let mut decisions = Vec::new();
        let mut next = branch;
        // A chain of `else if` may be long, so it is no recursion.
        let mut other = loop {
            let shown = self.staged_condition(next);
            let slot = self.internal(next.if_token.span, "__slot");
            let mut arm = self.exit(next.if_token.span, "arm");
            let then = self.in_arm(&mut arm, |s| s.arm(&slot, &mut next.then_branch, numbers));
            // It has a value, so it has an `else`.
            let Some((_, other)) = &mut next.else_branch else { break TokenStream::new() };
            if !is_else_if(other) {
                let last = self.in_arm(&mut arm, |s| match &mut **other {
                    Expr::Block(block) => s.arm(&slot, &mut block.block, numbers),
                    other => s.arm(&slot, &mut syn::parse_quote!({ #other }), numbers),
                });
                decisions.push((next.if_token.span, shown, next.cond.to_token_stream(), then, arm));
                break last.to_token_stream();
            }
            decisions.push((next.if_token.span, shown, next.cond.to_token_stream(), then, arm));
            let Expr::If(branch) = &mut **other else { break TokenStream::new() };
            next = branch;
        };
        let mut value = TokenStream::new();
        let outer: Vec<_> = decisions.iter().map(|(span, ..)| *span).collect();
        for (n, (span, shown, cond, then, arm)) in decisions.into_iter().enumerate().rev() {
            let slot = self.internal(span, "__slot");
            let decided = self.decided(span, shown, &cond, &quote!(#then else #other), &arm);
            // Declared outside the arms, which only set it.
            let (slots, backend) = (self.library(span, "Slot"), self.backend(span));
            value = quote_spanned!(span=> {
                let mut #slot = #slots::<#backend, _>::new();
                #decided
                #slot.get()
            });
            if let Some(outer) = n.checked_sub(1).map(|before| outer[before]) {
                let (own, slot) = (self.internal(span, "__value"), self.internal(outer, "__slot"));
                other = quote_spanned!(span=> { let #own = #value; #slot.set(#own); });
            }
        }
        if outer.len() > LONG {
            self.has_unparsed = true;
            return unparsed(outer[0], &quote!((#value)));
        }
        syn::parse_quote!(#value)
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
        let numbers = self.numbers_of_exits(&values, annotation);
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
