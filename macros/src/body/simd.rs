//! `simd_if!` and `simd_while!`: statements change the active lanes only.
//!
//! The mask of the active lanes is a value where nothing leaves a loop, otherwise a variable. A statement is
//! made as usual, and then the lanes that are not active get back what they held.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprAssign, ExprBinary, ExprMethodCall, Ident, Macro, Stmt, Token, UnOp};

use super::around::{Around, Lanes, Looped};
use super::built_ins::of_method;
use super::stager::{Name, Stager};
use crate::messages;
use crate::model::ends;

/// `mask => { .. }`, with what follows it.
struct Decision {
    condition: Expr,
    arrow: Token![=>],
    then: Block,
    other: Option<Other>,
}

enum Other {
    Block(Block),
    Decision(Box<Decision>),
}

impl Parse for Decision {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let condition = input.parse()?;
        let (arrow, then) = (input.parse()?, input.parse()?);
        let other = if input.parse::<Option<Token![else]>>()?.is_none() {
            None
        } else if input.peek(syn::token::Brace) {
            Some(Other::Block(input.parse()?))
        } else {
            Some(Other::Decision(Box::new(input.parse()?)))
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Self { condition, arrow, then, other })
    }
}

/// The macros of SIMD control flow, by their names.
#[derive(Clone, Copy)]
pub(super) enum SimdMacro {
    If,
    While,
}

impl SimdMacro {
    pub(super) fn of(call: &Macro) -> Option<Self> {
        match &*call.path.segments.last()?.ident.to_string() {
            "simd_if" => Some(Self::If),
            "simd_while" => Some(Self::While),
            _ => None,
        }
    }
}

impl Stager<'_> {
    /// A call of one of the macros, as a statement.
    pub(super) fn simd(&mut self, which: SimdMacro, call: &Macro) -> Expr {
        let span = call.path.span();
        let decision = match call.parse_body::<Decision>() {
            Ok(decision) => decision,
            Err(error) => return self.errors.in_place(error.span(), messages::SIMD_FORM),
        };
        if let (SimdMacro::While, Some(_)) = (which, &decision.other) {
            return self.errors.in_place(decision.arrow.span(), messages::SIMD_WHILE_ELSE);
        }
        self.enclosed(Around::Simd, |s| match which {
            SimdMacro::If => s.simd_if(span, decision),
            SimdMacro::While => s.simd_while(span, decision),
        })
    }

    /// The value of the mask.
    fn mask(&self, lanes: &Lanes, span: Span) -> Expr {
        let mask = Ident::new(&lanes.mask.to_string(), span.resolved_at(lanes.mask.span()));
        if lanes.looped.is_none() {
            return syn::parse_quote_spanned!(span=> #mask);
        }
        let (load, backend) = (self.library(span, "load"), self.backend(span));
        syn::parse_quote_spanned!(span=> #load::<#backend, _>(&#mask))
    }

    /// The lanes of a condition, at its tokens.
    fn lanes_of(&mut self, mut condition: Expr) -> Expr {
        let (shown, _) = ends(&condition);
        self.value(&mut condition);
        let backend = self.backend(shown);
        match self.lanes.last().cloned() {
            None => {
                let name = if self.model.generic { "simd_lanes_any" } else { "simd_lanes" };
                let lanes = self.library(shown, name);
                syn::parse_quote_spanned!(shown=> #lanes::<#backend, _>(#condition))
            }
            Some(outer) => {
                let (lanes, outer) = (self.library(shown, "simd_lanes_in"), self.mask(&outer, shown));
                syn::parse_quote_spanned!(shown=> #lanes::<#backend, _, _, _>(#condition, #outer))
            }
        }
    }

    fn simd_if(&mut self, span: Span, decision: Decision) -> Expr {
        let backend = self.backend(span);
        let before = self.lanes_left;
        let condition = self.lanes_of(decision.condition);
        let number = self.new_number();
        let lanes = self.internal(span, &format!("__lanes{number}"));
        let then = self.simd_arm(span, &lanes, |s| {
            let mut block = decision.then;
            s.simd_block(&mut block);
            block
        });
        let other = decision.other.map(|other| {
            let others = self.internal(span, &format!("__others{number}"));
            let outer = match self.lanes.last() {
                Some(outer) => {
                    let outer = self.mask(outer, span);
                    quote_spanned!(span=> ::core::option::Option::Some(#outer))
                }
                None => quote_spanned!(span=> ::core::option::Option::None),
            };
            let rest = self.library(span, "simd_others");
            let arm = self.simd_arm(span, &others, |s| match other {
                Other::Block(mut block) => {
                    s.simd_block(&mut block);
                    block
                }
                Other::Decision(decision) => {
                    let decided = s.simd_if(span, *decision);
                    syn::parse_quote_spanned!(span=> { #decided })
                }
            });
            // Before the first arm, which may change what is active outside.
            (quote_spanned!(span=> let #others = #rest::<#backend, _>(#lanes, #outer);), arm)
        });
        let (rest, other) = other.unzip();
        let gone = (self.lanes_left > before).then(|| self.without_gone(span));
        syn::parse_quote_spanned!(span=> {
            let #lanes = #condition;
            #rest
            #then
            #other
            #gone
        })
    }

    /// What is done if one of these lanes is active, which `inside` makes.
    fn simd_arm(
        &mut self,
        span: Span,
        lanes: &Ident,
        inside: impl FnOnce(&mut Self) -> Block,
    ) -> TokenStream {
        let backend = self.backend(span);
        let outer = self.lanes.last().and_then(|outer| outer.looped.clone());
        let (mask, declared) = match outer {
            None => (lanes.clone(), None),
            // It may lose lanes.
            Some(_) => {
                let number = self.new_number();
                let mask = self.internal(span, &format!("__mask{number}"));
                let variable = self.library(span, "variable");
                let declared = quote_spanned!(span=> let mut #mask = #variable::<#backend, _>(#lanes););
                (mask, Some(declared))
            }
        };
        self.lanes.push(Lanes { mask, looped: outer });
        let block = inside(self);
        self.lanes.pop();
        let (branch, some) = (self.library(span, "branch"), self.library(span, "simd_some"));
        let (arm, iterator) = (self.internal(span, "__arm"), self.internal(span, "__arms"));
        quote_spanned!(span=> {
            let #iterator = #branch::<#backend, _>(#some::<#backend, _>(#lanes));
            for #arm in #iterator {
                if #arm {
                    #declared
                    #block
                }
            }
        })
    }

    fn simd_while(&mut self, span: Span, decision: Decision) -> Expr {
        let backend = self.backend(span);
        let number = self.new_number();
        let [state, mask, gone] =
            ["while", "mask", "gone"].map(|name| self.internal(span, &format!("__{name}{number}")));
        let begin = self.library(span, "simd_loop");
        let (shown, _) = ends(&decision.condition);
        let outer = self.lanes.last().cloned();
        let start = match &outer {
            Some(outer) => {
                let outer = self.mask(outer, span);
                quote_spanned!(span=> ::core::option::Option::Some(#outer))
            }
            None => quote_spanned!(span=> ::core::option::Option::None),
        };
        // The lanes that are still in the loop are those that the condition is asked for.
        let live = self.internal(span, &format!("__live{number}"));
        let condition = match &outer {
            None => self.lanes_of(decision.condition),
            Some(_) => {
                self.lanes.push(Lanes { mask: live.clone(), looped: None });
                let condition = self.lanes_of(decision.condition);
                self.lanes.pop();
                condition
            }
        };
        let live = outer.is_some().then(|| quote_spanned!(shown=> let #live = #state.live();));
        let looped = Some(Looped { state: state.clone(), gone: gone.clone() });
        self.lanes.push(Lanes { mask: mask.clone(), looped });
        let before = self.lanes_left;
        let mut body = decision.then;
        self.simd_block(&mut body);
        self.lanes.pop();
        // Those of this loop are nothing to what is around it.
        let leaves = std::mem::replace(&mut self.lanes_left, before) > before;
        let (variable, none) = (self.library(span, "variable"), self.library(span, "simd_none"));
        let gone = leaves.then(|| {
            quote_spanned!(span=>
                let mut #gone = #variable::<#backend, _>(#none::<#backend, _>(#state.live()));
            )
        });
        syn::parse_quote_spanned!(span=> {
            let mut #state = #begin::<#backend, _>(#start);
            while #state.enter() {
                #live
                if !#state.test(#condition) {
                    break;
                }
                let mut #mask = #variable::<#backend, _>(#state.live());
                #gone
                #body
            }
        })
    }

    /// Behind something that lanes may have left: they are no longer active here.
    fn without_gone(&self, span: Span) -> TokenStream {
        let Some(Lanes { mask, looped: Some(Looped { gone, .. }) }) = self.lanes.last() else {
            return TokenStream::new();
        };
        let backend = self.backend(span);
        let [load, without] = ["load", "simd_without"].map(|name| self.library(span, name));
        let put = self.put(
            span,
            mask,
            &syn::parse_quote_spanned!(span=>
                #without::<#backend, _>(#load::<#backend, _>(&#mask), #load::<#backend, _>(&#gone))
            ),
        );
        quote!(#put)
    }

    /// Stores a mask.
    fn put(&self, span: Span, mask: &Ident, value: &Expr) -> Stmt {
        let stored = self.library(span, "Stored");
        let backend = self.backend(span);
        let staged = self.internal(span, "__value");
        syn::parse_quote_spanned!(span=> {
            let #staged = #value;
            #stored::<#backend>::put(&mut #mask, #staged);
        })
    }

    /// `break` and `continue` of the active lanes.
    fn lanes_leave(&mut self, span: Span, out: bool) -> Expr {
        let Some(Lanes { mask, looped: Some(Looped { state, gone }) }) = self.lanes.last().cloned() else {
            return self.errors.in_place(span, messages::SIMD_LEAVE);
        };
        self.lanes_left += 1;
        let backend = self.backend(span);
        let [load, either, none] = ["load", "simd_either", "simd_none"].map(|name| self.library(span, name));
        let lanes = self.internal(span, "__leaving");
        let leave = out.then(|| quote_spanned!(span=> #state.leave(#lanes);));
        let all: Expr = syn::parse_quote_spanned!(span=>
            #either::<#backend, _>(#load::<#backend, _>(&#gone), #lanes)
        );
        let gone = self.put(span, &gone, &all);
        let nothing = self.put(span, &mask, &syn::parse_quote_spanned!(span=> #none::<#backend, _>(#lanes)));
        syn::parse_quote_spanned!(span=> {
            let #lanes = #load::<#backend, _>(&#mask);
            #leave
            #gone
            #nothing
        })
    }

    /// The statements of an arm or body.
    fn simd_block(&mut self, block: &mut Block) {
        self.scoped(|s| {
            let mut stmts = Vec::with_capacity(block.stmts.len());
            let mut rest = std::mem::take(&mut block.stmts).into_iter();
            while let Some(stmt) = rest.next() {
                match stmt {
                    Stmt::Local(local) => s.local(local, rest.as_slice(), &mut stmts),
                    Stmt::Expr(mut expr, _) => {
                        s.simd_statement(&mut expr);
                        stmts.push(Stmt::Expr(expr, Some(Default::default())));
                    }
                    Stmt::Macro(found) => {
                        let expr = match SimdMacro::of(&found.mac) {
                            Some(which) => s.simd(which, &found.mac),
                            None => {
                                let (span, message) = messages::macro_call(&found.mac);
                                s.errors.in_place(span, message)
                            }
                        };
                        stmts.push(Stmt::Expr(expr, Some(Default::default())));
                    }
                    Stmt::Item(item) => {
                        s.errors.add(item.span(), messages::ITEM);
                    }
                }
            }
            block.stmts = stmts;
        });
    }

    fn simd_statement(&mut self, expr: &mut Expr) {
        *expr = match &mut *expr {
            Expr::Assign(assign) => self.simd_assign(assign),
            Expr::Binary(binary) if is_assignment(binary) => self.simd_op_assign(binary),
            Expr::MethodCall(call) if of_method(&call.method.to_string()).assigns => self.simd_change(call),
            Expr::MethodCall(call) if of_method(&call.method.to_string()).scatters => {
                match self.method(call) {
                    Some(other) => other,
                    None => return,
                }
            }
            Expr::Break(found) if found.label.is_none() && found.expr.is_none() => {
                self.lanes_leave(found.break_token.span, true)
            }
            Expr::Continue(found) if found.label.is_none() => {
                self.lanes_leave(found.continue_token.span, false)
            }
            Expr::Block(block) if block.label.is_none() => {
                self.simd_block(&mut block.block);
                return;
            }
            Expr::Macro(found) if SimdMacro::of(&found.mac).is_some() => {
                let Some(which) = SimdMacro::of(&found.mac) else { return };
                self.simd(which, &found.mac)
            }
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

    /// The name of a variable, or what a reference refers to, that a statement changes.
    fn changed_variable(&self, target: &Expr) -> Option<Expr> {
        match target {
            Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.is_variable(name)) => {
                Some(target.clone())
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => match &*unary.expr {
                Expr::Path(path) => {
                    let name = path.path.get_ident()?;
                    matches!(self.lookup(name), Some(Name::Exclusive(_))).then(|| target.clone())
                }
                _ => None,
            },
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                let exclusive = matches!(self.lookup(name), Some(Name::Exclusive(_)));
                exclusive.then(|| syn::parse_quote!(*#target))
            }
            _ => None,
        }
    }

    /// A statement that changes a variable, and then what the other lanes held.
    fn keeping(&self, span: Span, target: &Expr, statement: &Expr) -> Expr {
        let Some(lanes) = self.lanes.last() else { return statement.clone() };
        let (mask, backend) = (self.mask(lanes, span), self.backend(span));
        let [load, keep] = ["load", "simd_keep"].map(|name| self.library(span, name));
        let old = self.internal(span, "__old");
        syn::parse_quote_spanned!(span=> {
            let #old = #load::<#backend, _>(&#target);
            #statement;
            #keep::<#backend, _, _, _>(&mut #target, #old, #mask);
        })
    }

    fn simd_assign(&mut self, assign: &mut ExprAssign) -> Expr {
        let target = self.changed_variable(&assign.left);
        let span = assign.eq_token.span;
        let statement = self.assign(assign);
        match target {
            Some(target) => self.keeping(span, &target, &statement),
            // Refused already, or `_ = e`.
            None => statement,
        }
    }

    fn simd_op_assign(&mut self, binary: &mut ExprBinary) -> Expr {
        let span = binary.op.span();
        if let Some(target) = self.changed_variable(&binary.left) {
            let statement = self.op_assign(binary);
            return self.keeping(span, &target, &statement);
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
        if let Some(target) = self.changed_variable(&call.receiver) {
            let mut statement = Expr::MethodCall(call.clone());
            self.value(&mut statement);
            return self.keeping(span, &target, &statement);
        }
        if self.refuses_value(&call.receiver) || !matches!(&*call.receiver, Expr::MethodCall(_)) {
            let mut statement = Expr::MethodCall(call.clone());
            self.value(&mut statement);
            return statement;
        }
        // The arguments first, as outside.
        let target = self.temporary(span, call.args.len());
        let mut place = (*call.receiver).clone();
        let mut inner = call.clone();
        inner.receiver = syn::parse_quote_spanned!(span=> #target);
        if let Some(other) = self.method(&mut inner) {
            return other;
        }
        let mut lets = Vec::new();
        for (i, arg) in inner.args.iter_mut().enumerate() {
            let name = self.temporary(ends(arg).0, i);
            lets.push(quote_spanned!(name.span()=> let #name = #arg;));
            *arg = syn::parse_quote!(#name);
        }
        self.receiver(&mut place);
        let changed = self.keeping_place(span, &target, &quote!(#inner));
        syn::parse_quote_spanned!(span=> {
            #(#lets)*
            let mut #target = #place;
            #changed
        })
    }

    /// A method call inside SIMD control flow, of which the arguments are rewritten: reductions look at the
    /// active lanes, and scattered accesses leave the others out.
    pub(super) fn in_lanes(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        let lanes = self.lanes.last()?.clone();
        let span = call.method.span();
        let known = of_method(&call.method.to_string());
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
        let offsets = if known.scatters && call.args.len() >= 2 { 1 } else { return None };
        let function = self.library(span, "active_offsets");
        let value = call.args[offsets].clone();
        if name.starts_with("write_scattered") {
            let base = call.args[0].clone();
            call.args[0] = syn::parse_quote_spanned!(span=> 0);
            call.args[1] =
                syn::parse_quote_spanned!(span=> &#function::<#backend, _, _, _>(#base, #value, #mask));
        } else {
            call.args[1] =
                syn::parse_quote_spanned!(span=> &#function::<#backend, _, _, _>(0, #value, #mask));
        }
        None
    }
}

fn is_assignment(binary: &ExprBinary) -> bool {
    use syn::BinOp::*;
    matches!(
        binary.op,
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

/// What is wrong with an expression inside SIMD control flow, and where.
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
        _ => None,
    }
}
