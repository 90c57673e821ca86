//! Trees of operators: `(a + b * 2).convert()`. The library gets the whole tree, its operands by reference, so that the CPU
//! computes it in one pass and need not copy regions.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprCall, ExprLit, ExprPath, GenericArgument, Ident, Lit};

use super::stager::Stager;
use crate::model::of_register_type;

impl Stager<'_> {
    /// The operators before a conversion.
    pub(super) fn converted_tree(&self, expr: &mut Expr) {
        if let Expr::Paren(paren) = expr {
            // The position of the operator includes its parentheses.
            self.converted_tree(&mut paren.expr);
        } else if let Some(operator) = computed(expr) {
            *expr = operator;
        } else if self.is_tree(expr) {
            self.tree(expr);
        }
    }

    /// Operators whose result is not converted.
    pub(super) fn computed_tree(&self, expr: &mut Expr) {
        if !self.is_tree(expr) {
            return;
        }
        self.tree(expr);
        let span = expr.span();
        let (value, backend) = (self.library(span, "value"), self.backend(span));
        *expr = syn::parse_quote_spanned!(span=> #value::<#backend, _>(#expr));
    }

    /// Whether syntax shows that an expression, as written, is a matrix or vector. Others may be host values of any type.
    pub(super) fn is_register(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_register(&paren.expr),
            Expr::Unary(unary) => self.is_register(&unary.expr),
            Expr::Binary(binary) => self.is_register(&binary.left) || self.is_register(&binary.right),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_register(name)),
            Expr::Call(call) => {
                matches!(&*call.func, Expr::Path(function) if of_register_type(&function.path))
            }
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "select" | "row" | "column" | "replicate" | "iselect" => true,
                "read" | "read_block" => call.turbofish.is_some(),
                "convert" | "saturate" => self.is_register(&call.receiver),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether an expression is an operator on something other than host numbers, as far as syntax shows.
    fn is_tree(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_tree(&paren.expr),
            Expr::Binary(binary) => operator(&binary.op).is_some() && !self.may_be_number(expr),
            _ => false,
        }
    }

    /// Whether an operator has a host number on its left. With the literal's type still open, rustc would not find
    /// methods of the result of Rust's own operator.
    pub(super) fn left_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.left_number(&paren.expr),
            Expr::Binary(binary) => self.may_be_number(&binary.left) || self.left_number(&binary.left),
            _ => false,
        }
    }

    fn tree(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.tree(&mut paren.expr),
            Expr::Binary(binary) => {
                let Some(name) = operator(&binary.op) else { return };
                // The call has the position of its left side, like the operator.
                let span = binary.span();
                let function = if self.may_be_number(&binary.left) { "left" } else { "pending" };
                let function = self.library(span, function);
                let (krate, backend) = (self.model.krate(span), self.backend(span));
                self.operand(&mut binary.left);
                self.operand(&mut binary.right);
                let op = Ident::new(name, binary.op.span());
                let (left, right) = (&binary.left, &binary.right);
                // Mistakes are shown at the operator.
                let by_reference = quote_spanned!(op.span()=> &);
                *expr = syn::parse_quote_spanned!(span=>
                    #function::<#backend, #krate::__private::ops::#op, _, _>(#by_reference #left, #by_reference #right)
                );
            }
            _ => {}
        }
    }

    /// An operand of a tree: a region, or another operator.
    pub(super) fn operand(&self, expr: &mut Expr) {
        self.region_in_place(expr);
        let span = expr.span();
        let operator = computed(expr).or_else(|| {
            self.is_tree(expr).then(|| {
                self.tree(expr);
                expr.clone()
            })
        });
        if let Some(operator) = operator {
            let (inner, backend) = (self.library(span, "inner"), self.backend(span));
            *expr = syn::parse_quote_spanned!(span=> #inner::<#backend, _>(#operator));
        } else if matches!(expr, Expr::Binary(_) | Expr::Cast(_)) {
            // It gets a `&`, which binds closer.
            *expr = syn::parse_quote!((#expr));
        }
    }

    /// `m.select::<..>(..)` and `m.row(..)` as operands: neighbouring columns need not be copied.
    fn region_in_place(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.region_in_place(&mut paren.expr),
            Expr::MethodCall(call) if is_region(call) => {
                let span = call.method.span();
                let (views, receiver) = (self.library(span, "views"), &call.receiver);
                *call.receiver = syn::parse_quote_spanned!(span=> #views(&#receiver));
            }
            _ => {}
        }
    }
}

/// Whether it is a region of neighbouring columns.
fn is_region(call: &syn::ExprMethodCall) -> bool {
    match (call.method.to_string().as_str(), &call.turbofish) {
        ("row", None) => call.args.len() == 1,
        ("select" | "select_any", Some(sizes)) => matches!(
            sizes.args.last(),
            Some(GenericArgument::Const(Expr::Lit(ExprLit { lit: Lit::Int(stride), .. })))
                if stride.base10_digits() == "1"
        ),
        _ => false,
    }
}

/// The tree in the result of [`computed_tree`](Stager::computed_tree).
fn computed(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Paren(paren) => computed(&paren.expr),
        Expr::Call(ExprCall { func, args, .. }) => {
            let Expr::Path(ExprPath { path, .. }) = &**func else { return None };
            let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
            let ours = names.next()? == "value" && names.next()? == "__private";
            ours.then(|| args[0].clone())
        }
        _ => None,
    }
}

/// The type of an operator that returns or assigns a value.
pub(super) fn operator(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => "Add",
        BinOp::Sub(_) | BinOp::SubAssign(_) => "Sub",
        BinOp::Mul(_) | BinOp::MulAssign(_) => "Mul",
        BinOp::Div(_) | BinOp::DivAssign(_) => "Div",
        BinOp::Rem(_) | BinOp::RemAssign(_) => "Rem",
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => "And",
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => "Or",
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => "Xor",
        BinOp::Shl(_) | BinOp::ShlAssign(_) => "Shl",
        BinOp::Shr(_) | BinOp::ShrAssign(_) => "Shr",
        _ => return None,
    })
}

/// Whether a name is a token of an expression.
pub(super) fn mentions(expr: &Expr, name: &Ident) -> bool {
    fn among(tokens: TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(found) => found == *name,
            TokenTree::Group(group) => among(group.stream(), name),
            _ => false,
        })
    }
    among(expr.to_token_stream(), name)
}
