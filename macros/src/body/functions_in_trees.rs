//! Functions of `math` and conversions as operands of trees: `(math::max::<i32, _>(a - b, 0) * 2).convert()`. The CPU computes them
//! in the loop of the tree.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, GenericArgument, Ident, PathArguments, Type};

use super::built_ins::{of_function, of_method};
use super::literals::{is_literal, suffix_default};
use super::stager::Stager;
use super::trees::{call_of, function_of_math};

impl Stager<'_> {
    /// A staged function of `math`, or the conversion of a register or region, as an operand of a tree, if syntax shows that
    /// rustc knows the types of its operands and its result.
    pub(super) fn function_in_tree(&self, expr: &mut Expr) {
        let function = match expr {
            Expr::Paren(paren) => return self.function_in_tree(&mut paren.expr),
            Expr::Call(call) => self.math_in_tree(call),
            Expr::MethodCall(call) => self.conversion_in_tree(call),
            _ => return,
        };
        if let Some(function) = function {
            *expr = function;
        }
    }

    fn math_in_tree(&self, call: &ExprCall) -> Option<Expr> {
        let OfTrees { operator, limited, elements, unary } = of_trees(call)?;
        let mut arguments: Vec<Expr> = call.args.iter().cloned().collect();
        let number = |arg: &Expr| is_literal(arg) || self.is_scalar(arg) || self.is_number(arg);
        let known = match &arguments[..] {
            [first] => unary && self.is_typed_register(first),
            [first, second] => {
                !unary && self.is_typed_register(first) && (number(second) || self.is_typed_register(second))
            }
            _ => false,
        };
        if !known {
            return None;
        }
        arguments.iter_mut().skip(1).for_each(|number| {
            suffix_default(number);
        });
        arguments.iter_mut().for_each(|arg| self.operand(arg));
        // Registers would only be copied to memory.
        if !arguments.iter().any(|arg| self.is_computed(arg)) {
            return None;
        }
        let (span, of) = (call.span(), &call.func);
        let (left, right) = (self.internal(span, "__left"), self.internal(span, "__right"));
        Some(match &arguments[..] {
            [first, second] => {
                let of = quote_spanned!(span=> |#left, #right| #of(#left, *#right));
                self.function(span, (operator, false), (elements, limited), (first, second), &of)
            }
            _ => {
                let of = quote_spanned!(span=> |#left, #right| #of(#left));
                let nothing = syn::parse_quote_spanned!(span=> 0u8);
                self.function(span, (operator, true), (elements, limited), (&arguments[0], &nothing), &of)
            }
        })
    }

    /// Whether an operand of a tree, staged, is itself a tree, or a region where it is.
    fn is_computed(&self, operand: &Expr) -> bool {
        match operand {
            Expr::Paren(paren) => self.is_computed(&paren.expr),
            Expr::MethodCall(call) => call_of(&call.receiver, "views").is_some(),
            _ => {
                self.is_pending(operand)
                    || ["inner", "function"].iter().any(|function| call_of(operand, function).is_some())
            }
        }
    }

    fn conversion_in_tree(&self, call: &ExprMethodCall) -> Option<Expr> {
        if !of_method(&call.method.to_string()).converts || !self.is_typed_register(&call.receiver) {
            return None;
        }
        let elements = call.turbofish.as_ref()?.args.first().filter(|elements| !is_inferred(elements))?;
        let mut receiver = (*call.receiver).clone();
        // The conversion of a tree is the end of its loop.
        let register = matches!(receiver, Expr::Path(_) | Expr::MethodCall(_));
        if !register || self.is_pending(&receiver) {
            return None;
        }
        self.operand(&mut receiver);
        let span = call.method.span();
        let (left, right) = (self.internal(span, "__left"), self.internal(span, "__right"));
        let mut of = call.clone();
        *of.receiver = syn::parse_quote!(#left);
        let of = quote_spanned!(span=> |#left, #right| #of);
        let nothing = syn::parse_quote_spanned!(span=> 0u8);
        let limited = call.method == "saturate";
        Some(self.function(span, ("Convert", true), (elements, limited), (&receiver, &nothing), &of))
    }

    /// The call that stands for a function in a tree: of `operator`, which may have only one operand, with results of these
    /// elements, which may be limited. `of` is the function itself.
    fn function(
        &self,
        span: Span,
        (operator, unary): (&str, bool),
        (elements, limited): (&GenericArgument, bool),
        (first, second): (&Expr, &Expr),
        of: &TokenStream,
    ) -> Expr {
        let (krate, backend) = (self.model.krate(span), self.backend(span));
        let (function, operator) = (self.library(span, "function"), Ident::new(operator, span));
        let ops = quote_spanned!(span=> #krate::__private::ops);
        let operator = match unary {
            true => quote_spanned!(span=> #ops::OfFirst<#ops::#operator>),
            false => quote_spanned!(span=> #ops::#operator),
        };
        syn::parse_quote_spanned!(span=>
            #function::<#backend, #ops::As<#operator, #elements, #limited>, _, _, _>(&#first, &#second, #of)
        )
    }
}

/// A function of `math` that may be an operand of a tree.
pub(super) struct OfTrees<'e> {
    /// Its type as an operator.
    operator: &'static str,
    /// Whether its result is limited.
    limited: bool,
    /// The type of the elements of its result.
    elements: &'e GenericArgument,
    unary: bool,
}

/// `call` as such a function. It may be the user's own, in a module of the same name, if the call does not have the generic
/// arguments of the library's.
pub(super) fn of_trees(call: &ExprCall) -> Option<OfTrees<'_>> {
    let name = function_of_math(call)?;
    let (operator, limited) = of_function(&name.ident.to_string()).in_trees?;
    let PathArguments::AngleBracketed(arguments) = &name.arguments else { return None };
    let mut arguments = arguments.args.iter();
    let (elements, of, more) = (arguments.next()?, arguments.next()?, arguments.next());
    let named = !is_inferred(elements) && is_inferred(of) && more.is_none();
    named.then_some(OfTrees { operator, limited, elements, unary: operator == "Abs" })
}

fn is_inferred(argument: &GenericArgument) -> bool {
    matches!(argument, GenericArgument::Type(Type::Infer(_)))
}
