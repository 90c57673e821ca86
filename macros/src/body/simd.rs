//! `simd_if!` and `simd_while!`: statements change only the active lanes.
//!
//! The mask of the active lanes is a value if no lane leaves a loop, otherwise a variable.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Ident, Macro, Stmt, Token};

use super::around::{Around, Lanes, Looped, SimdMacro};
use super::conditions::PartConditions;
use super::stager::Stager;
use crate::messages;
use crate::model::ends;

/// `mask => { .. }`, with the following arms.
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

impl Decision {
    /// Adds the `#[cfg]` of parts of expressions. They were tokens of a macro until now.
    fn conditions(&self, of_parts: &mut PartConditions) {
        of_parts.visit_expr_mut(&mut self.condition.clone());
        of_parts.visit_block_mut(&mut self.then.clone());
        match &self.other {
            Some(Other::Block(block)) => of_parts.visit_block_mut(&mut block.clone()),
            Some(Other::Decision(decision)) => decision.conditions(of_parts),
            None => {}
        }
    }
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

impl Stager<'_> {
    /// A call of one of the macros, as a statement.
    pub(super) fn simd(&mut self, which: SimdMacro, call: &Macro) -> Expr {
        let span = call.path.span();
        let decision = match call.parse_body::<Decision>() {
            Ok(decision) => decision,
            Err(error) => return self.errors.in_place(error.span(), messages::SIMD_FORM),
        };
        let mut of_parts = PartConditions::default();
        decision.conditions(&mut of_parts);
        of_parts.found.into_iter().for_each(|span| self.errors.add(span, messages::CFG_PART));
        if let (SimdMacro::While, Some(_)) = (which, &decision.other) {
            return self.errors.in_place(decision.arrow.span(), messages::SIMD_WHILE_ELSE);
        }
        self.enclosed(Around::Simd(which), |s| match which {
            SimdMacro::If => s.simd_if(span, decision),
            SimdMacro::While => s.simd_while(span, decision),
        })
    }

    /// The value of the mask.
    pub(super) fn mask(&self, lanes: &Lanes, span: Span) -> Expr {
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
            // Before the first arm, which may change the outer active lanes.
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

    /// The code for the case that one of these lanes is active, made by `inside`.
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
        // The condition is evaluated for the lanes that are still in the loop.
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
        // The exits of this loop do not affect its surroundings.
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

    /// After code that lanes may have left: they are no longer active here.
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
    pub(super) fn lanes_leave(&mut self, span: Span, out: bool) -> Expr {
        let Some(Lanes { mask, looped: Some(Looped { state, gone }) }) = self.lanes.last().cloned() else {
            return self.errors.in_place(span, messages::SIMD_LEAVE);
        };
        let mut inside = self.around.iter().rev();
        let loops = inside.find(|around| matches!(around, Around::Simd(SimdMacro::While) | Around::Unrolled));
        if matches!(loops, Some(Around::Unrolled)) {
            return self.errors.in_place(span, messages::SIMD_UNROLLED);
        }
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
}
