//! `break`, `continue` and `return`: the types decide whether a scope is left immediately or the exit is recorded.
//!
//! `break` becomes `if leave(&scope) { break 'scope }`. A backend that computes leaves; a backend that records
//! continues with the rest, which is the path of the threads that stay.

use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprBreak, ExprContinue, ExprReturn, Ident, Label, Lifetime, Stmt, Type};

use super::arms::{has_tail, is_chosen};
use super::around::{Around, Breaks, Exit, Left, Numbers, Valued, block_diverges, values_of_breaks};
use super::conditions::values_of;
use super::elements::Elements;
use super::literals::{suffix_as, suffix_default};
use super::stager::Stager;
use crate::messages;

impl Stager<'_> {
    pub(super) fn exit(&mut self, span: Span, name: &str) -> Exit {
        let number = self.new_number();
        let scope = self.internal(span, &format!("__{name}{number}"));
        Exit { label: Lifetime::new(&format!("'{scope}"), span), scope, used: false }
    }

    /// Inside an arm of an `if` or `match`.
    pub(super) fn in_arm<T>(&mut self, arm: &mut Exit, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.around.push(Around::Arm(arm.clone()));
        let result = inside(self);
        if let Some(Around::Arm(left)) = self.around.pop() {
            *arm = left;
        }
        result
    }

    /// What follows a statement with an exit in an arm, or in a loop or block there: the exit may be recorded only, and then the
    /// kernel does not get to the host code of the rest.
    pub(super) fn rest_of_arm(&mut self) -> Option<Stmt> {
        let (innermost, outside) = self.around.split_last_mut()?;
        let in_arm = outside.iter().any(|around| matches!(around, Around::Arm(_)));
        let exit = match innermost {
            Around::Arm(arm) => arm,
            Around::Loop { round, .. } if in_arm => round,
            Around::Labelled { exit, .. } if in_arm && exit.used => exit,
            _ => return None,
        };
        exit.used = true;
        let (label, span) = (exit.label.clone(), exit.label.span());
        let (unreached, backend) = (self.library(span, "unreached"), self.backend(span));
        Some(syn::parse_quote_spanned!(span=> if #unreached::<#backend>() { break #label; }))
    }

    /// Inside a loop, whose body `inside` rewrites.
    pub(super) fn looped(
        &mut self,
        label: Option<&Label>,
        span: Span,
        numbers: Option<Numbers>,
        inside: impl FnOnce(&mut Self),
    ) -> Left {
        let (exit, round) = (self.exit(span, "exit"), self.exit(span, "round"));
        let slot = numbers.map(|numbers| self.valued(span, &exit, numbers));
        let label = label.map(|label| label.name.ident.to_string());
        self.around.push(Around::Loop { label, exit, round, slot, breaks: Breaks::default() });
        inside(self);
        match self.around.pop() {
            Some(Around::Loop { exit, round, slot, breaks, .. }) => {
                let slot = slot.filter(|_| breaks.with_value).map(|valued| valued.slot);
                Left { exit: exit.if_used(), round: round.if_used(), slot }
            }
            _ => Left { exit: None, round: None, slot: None },
        }
    }

    /// The slot of the value with which a scope is left.
    fn valued(&self, span: Span, exit: &Exit, numbers: Numbers) -> Valued {
        let slot = self.internal(span, &format!("{}_value", exit.scope));
        Valued { slot, numbers: Rc::new(numbers) }
    }

    /// Inside the condition of a loop or a closure, which cannot be left.
    pub(super) fn enclosed<T>(&mut self, around: Around, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.around.push(around);
        let result = inside(self);
        self.around.pop();
        result
    }

    /// A block with a label, whose value is for this annotated type.
    pub(super) fn labelled(&mut self, label: &Label, block: &mut Block, annotation: Option<&Type>) -> Expr {
        let span = label.name.span();
        let exit = self.exit(span, "exit");
        let mut values = values_of_breaks(block, Some(label), false);
        let left_with_value = !values.is_empty();
        values.extend(values_of(block).into_iter().cloned());
        let numbers = self.numbers_of_exits(&values, annotation);
        let slot = self.valued(span, &exit, numbers);
        let name = label.name.ident.to_string();
        let diverges = block_diverges(block);
        let sets = left_with_value && !diverges && has_tail(block);
        self.around.push(Around::Labelled {
            label: name,
            exit,
            slot: slot.clone(),
            breaks: Breaks::default(),
        });
        if sets {
            self.block_with(block, |s, value| s.set_arm(&slot.slot, value, &slot.numbers));
        } else {
            if let Some(Stmt::Expr(value, None)) = block.stmts.last_mut() {
                match annotation {
                    Some(ty) => suffix_as(value, ty),
                    None => _ = suffix_default(value),
                }
            }
            self.block(block);
        }
        let Some(Around::Labelled { exit, slot, breaks, .. }) = self.around.pop() else {
            return Expr::Verbatim(TokenStream::new());
        };
        if !exit.used {
            return syn::parse_quote_spanned!(span=> #block);
        }
        let slot = breaks.with_value.then_some(slot.slot);
        if let (Some(slot), false) = (&slot, diverges || sets) {
            // Its end has no value, which rustc reports.
            let value: Expr = syn::parse_quote_spanned!(span=> #block);
            *block = self.set(slot, &value);
        }
        let label = exit.label();
        self.scope(span, Some(&exit), slot.as_ref(), quote_spanned!(span=> #label #block))
    }

    /// The body of a function or kernel, whose result is of this type: what `return` leaves.
    pub(crate) fn function_body(&mut self, result: Option<&Type>, how: Elements, block: &mut Block) -> Block {
        let span = self.model.item.sig.ident.span();
        let exit = self.exit(span, "exit");
        let slot = self.internal(span, &format!("{}_value", exit.scope));
        let (diverges, values) = (block_diverges(block), values_of(block).len());
        self.around.push(Around::Function { exit, slot, result: result.cloned().map(Box::new) });
        if !diverges && values_of(block).into_iter().any(is_chosen) {
            self.block_with(block, |s, value| {
                s.value_for(value, result);
                vec![Stmt::Expr(value.clone(), None)]
            });
        } else {
            self.block(block);
        }
        let Some(Around::Function { exit, slot, result }) = self.around.pop() else { return block.clone() };
        let Some(ty) = result else {
            if !exit.used {
                return block.clone();
            }
            let label = exit.label();
            let left = self.scope(span, Some(&exit), None, quote_spanned!(span=> #label #block));
            return syn::parse_quote!({ #left });
        };
        if diverges && exit.used {
            return self.left(span, &exit, &slot, block);
        }
        let value = self.entered_block(&ty, block, values, how);
        if !exit.used {
            return syn::parse_quote!({ #value });
        }
        let inside = self.set(&slot, &value);
        self.left(span, &exit, &slot, &inside)
    }

    /// A block whose value, one of `values` as written, is converted for the annotated type. A mistake is shown at the value, if
    /// there is only one.
    fn entered_block(&self, ty: &Type, block: &Block, values: usize, how: Elements) -> Expr {
        let mut block = block.clone();
        let whole = |block| Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block });
        match (values, block.stmts.pop()) {
            (1, Some(Stmt::Expr(value, None))) => {
                let value = Expr::Verbatim(self.entered(ty, &value, how));
                block.stmts.push(Stmt::Expr(value, None));
                whole(block)
            }
            (_, last) => {
                block.stmts.extend(last);
                Expr::Verbatim(self.entered(ty, &whole(block), how))
            }
        }
    }

    /// The body of a function that may be left.
    fn left(&self, span: Span, exit: &Exit, slot: &Ident, inside: &Block) -> Block {
        let label = exit.label();
        let left = self.scope(span, Some(exit), Some(slot), quote_spanned!(span=> #label #inside));
        syn::parse_quote!({ #left })
    }

    /// Stores a value in a slot.
    pub(super) fn set(&self, slot: &Ident, value: &Expr) -> Block {
        let span = value.span();
        let (stage, backend) = (self.library(span, "stage"), self.backend(span));
        // The slot is declared at the start of the loop or function.
        let slot = Ident::new(&slot.to_string(), slot.span());
        // First, because the expression of the value may also set the slot if it leaves.
        let staged = self.internal(span, "__value");
        syn::parse_quote_spanned!(span=> {
            let #staged = #stage::<#backend, _>(#value);
            #slot.set(#staged);
        })
    }

    /// A scope that can be left, between its start and its end; with its value, if it has one.
    pub(super) fn scope(
        &self,
        span: Span,
        exit: Option<&Exit>,
        slot: Option<&Ident>,
        inside: TokenStream,
    ) -> Expr {
        let Some(Exit { scope, .. }) = exit else {
            return syn::parse_quote_spanned!(span=> { #inside });
        };
        let backend = self.backend(span);
        let (begin, end) = (self.library(span, "scope"), self.library(span, "end_scope"));
        let slots = self.library(span, "Slot");
        let declared = slot.map(|slot| quote_spanned!(span=> let mut #slot = #slots::<#backend, _>::new();));
        let value = slot.map(|slot| quote_spanned!(span=> #slot.get()));
        syn::parse_quote_spanned!(span=> {
            #declared
            let #scope = #begin::<#backend>();
            #inside
            #end::<#backend>(#scope);
            #value
        })
    }

    /// An iteration, between the start and the end of its scope.
    pub(super) fn round(&self, span: Span, round: Option<&Exit>, body: &Block) -> Block {
        let Some(exit) = round else { return body.clone() };
        let label = exit.label();
        let round = self.scope(span, round, None, quote_spanned!(span=> #label #body));
        syn::parse_quote_spanned!(span=> { #round })
    }

    /// The exit, at the token that causes it.
    pub(super) fn leave(&self, at: Span, exit: &Exit) -> Expr {
        let (leave, backend) = (self.library(at, "leave"), self.backend(at));
        // Resolved where they are declared, and reported where they are used.
        let scope = Ident::new(&exit.scope.to_string(), at.resolved_at(exit.scope.span()));
        let label = Lifetime::new(&format!("'{}", exit.scope), at.resolved_at(exit.label.span()));
        syn::parse_quote_spanned!(at=> if #leave::<#backend>(&#scope) { break #label; })
    }

    pub(super) fn break_out(&mut self, found: &mut ExprBreak) -> Expr {
        let span = found.break_token.span;
        let name = found.label.as_ref().map(|label| label.ident.to_string());
        let (exit, valued) = match self.left_by_break(name.as_ref(), found.expr.is_some()) {
            Ok(target) => target,
            Err(refused) => return self.errors.in_place(span, refused),
        };
        self.ways_out += 1;
        self.exits += 1;
        let leave = self.leave(span, &exit);
        match (&mut found.expr, valued) {
            (Some(value), Some(Valued { slot, numbers })) => {
                let mut stmts = self.set_arm(&slot, value, &numbers);
                stmts.push(Stmt::Expr(leave, None));
                syn::parse_quote_spanned!(span=> { #(#stmts)* })
            }
            _ => leave,
        }
    }

    /// What a `break` leaves, and the slot of its value; or why there is nothing.
    fn left_by_break(
        &mut self,
        name: Option<&String>,
        with_value: bool,
    ) -> Result<(Exit, Option<Valued>), &'static str> {
        for around in self.around.iter_mut().rev() {
            let (exit, slot, breaks) = match around {
                Around::Loop { label, exit, slot, breaks, .. }
                    if name.is_none() || label.as_ref() == name =>
                {
                    (exit, slot.as_ref(), breaks)
                }
                Around::Labelled { label, exit, slot, breaks } if name == Some(label) => {
                    (exit, Some(&*slot), breaks)
                }
                Around::Closure | Around::Condition | Around::Simd(_) | Around::Unrolled => break,
                Around::Function { .. } | Around::Loop { .. } | Around::Labelled { .. } => continue,
                Around::Arm(_) => continue,
            };
            if with_value && slot.is_none() {
                return Err(messages::BREAK_VALUE);
            }
            exit.used = true;
            if !breaks.note(with_value) {
                return Err(messages::BREAKS_DIFFER);
            }
            return Ok((exit.clone(), slot.cloned()));
        }
        Err(messages::BREAK)
    }

    pub(super) fn continue_with(&mut self, found: &ExprContinue) -> Expr {
        let span = found.continue_token.span;
        let name = found.label.as_ref().map(|label| label.ident.to_string());
        for around in self.around.iter_mut().rev() {
            match around {
                Around::Loop { label, round, .. } if name.is_none() || *label == name => {
                    round.used = true;
                    let round = round.clone();
                    self.exits += 1;
                    self.ways_out += usize::from(name.is_some());
                    return self.leave(span, &round);
                }
                Around::Closure | Around::Condition | Around::Simd(_) | Around::Unrolled => break,
                Around::Function { .. } | Around::Loop { .. } | Around::Labelled { .. } => {}
                Around::Arm(_) => {}
            }
        }
        self.errors.in_place(span, messages::CONTINUE)
    }

    pub(super) fn return_from(&mut self, found: &mut ExprReturn) -> Expr {
        let span = found.return_token.span;
        let how = found.expr.as_deref().map(|value| self.how_known(value));
        let result = match self.around.first() {
            Some(Around::Function { result, .. }) => result.clone(),
            _ => None,
        };
        if let Some(value) = &mut found.expr {
            self.value_for(value, result.as_deref());
        }
        let inner = self
            .around
            .iter()
            .any(|around| matches!(around, Around::Closure | Around::Condition | Around::Simd(_)));
        let function = self.around.first_mut().filter(|_| !inner);
        let Some(Around::Function { exit, slot, result }) = function else {
            return self.errors.in_place(span, messages::RETURN);
        };
        exit.used = true;
        let (exit, slot, result) = (exit.clone(), slot.clone(), result.clone());
        self.ways_out += 1;
        self.exits += 1;
        let leave = self.leave(span, &exit);
        match (&found.expr, how, result) {
            (Some(value), Some(how), Some(ty)) => {
                let value = Expr::Verbatim(self.entered(&ty, value, how));
                let mut block = self.set(&slot, &value);
                block.stmts.push(Stmt::Expr(leave, None));
                syn::parse_quote_spanned!(span=> #block)
            }
            (None, _, Some(_)) => self.errors.in_place(span, messages::RETURN_NOTHING),
            (Some(value), _, None) => {
                // Of type `()`, or rustc says that it is not.
                syn::parse_quote_spanned!(span=> { let () = #value; #leave })
            }
            (_, _, None) => leave,
            (Some(_), None, Some(_)) => self.errors.in_place(span, messages::RETURN),
        }
    }
}
