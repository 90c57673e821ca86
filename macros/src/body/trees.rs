//! Trees of operators: `(a + b * 2).convert()`. The library gets the whole tree, its operands by reference,
//! so that the CPU computes it in one pass and need not copy regions.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{
    BinOp, Expr, ExprBinary, ExprCall, ExprLit, ExprPath, ExprReference, GenericArgument, Ident, Lit,
    PathArguments, PathSegment, Token, Type,
};

use super::built_in::ResultElements;
use super::built_ins::{comparison, of_function, of_method};
use super::contains::contains;
use super::literals::{has_suffix, is_literal, suffix_default};
use super::parts::{indices, object};
use super::stager::{Name, Stager};
use crate::model::of_register_type;
use crate::names::mentions;

/// The most operators of a tree of which one is an operand of the next. rustc takes a second for a tree of this depth, and refuses
/// one of twice as many.
const DEEPEST: usize = 32;

impl Stager<'_> {
    /// The operators before a conversion, whose result is staged.
    pub(super) fn converted_tree(&self, expr: &mut Expr) {
        if let Expr::Paren(paren) = expr {
            // The position of the operator includes its parentheses.
            self.converted_tree(&mut paren.expr);
        } else if let Some(operator) = call_of(expr, "value") {
            *expr = operator.clone();
        } else if self.is_tree(expr) {
            self.tree(expr, true);
        } else {
            self.function_in_tree(expr);
        }
    }

    /// Operators whose result is not converted.
    pub(super) fn computed_tree(&self, expr: &mut Expr) {
        if self.is_tree(expr) {
            self.tree(expr, false);
        } else if !self.is_pending(expr) {
            return;
        }
        *expr = self.computed(expr);
    }

    /// The result of a staged tree.
    fn computed(&self, tree: &Expr) -> Expr {
        let span = tree.span();
        let (value, backend) = (self.library(span, "value"), self.backend(span));
        called(span, syn::parse_quote_spanned!(span=> #value::<#backend, _>), [tree.clone()])
    }

    /// The most operators of a staged tree of which one is an operand of the next.
    pub(super) fn depth(&self, tree: &Expr) -> usize {
        match tree {
            Expr::Paren(paren) => self.depth(&paren.expr),
            Expr::Reference(reference) => self.depth(&reference.expr),
            Expr::Path(path) => match path.path.get_ident().and_then(|name| self.lookup(name)) {
                Some(Name::Pending(tree)) => tree.depth,
                _ => 0,
            },
            Expr::Call(call) if is_call_of(call, "inner") => {
                call.args.first().map_or(0, |tree| self.depth(tree))
            }
            Expr::Call(call) if is_operator(call) => {
                1 + call.args.iter().map(|operand| self.depth(operand)).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Whether syntax shows that an expression, as written, is a matrix or vector. Others may be host values
    /// of any type.
    pub(super) fn is_register(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_register(&paren.expr),
            Expr::Unary(unary) => self.is_register(&unary.expr),
            Expr::Binary(binary) => self.is_register(&binary.left) || self.is_register(&binary.right),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_register(name)),
            Expr::Index(_) => {
                let elements = object(expr).and_then(|name| self.names_elements(name));
                elements.is_some_and(|elements| indices(expr) >= elements.depth)
            }
            Expr::Call(call) => {
                let of_type = matches!(&*call.func, Expr::Path(function) if of_register_type(&function.path));
                of_type || elementwise(call).is_some_and(|(operand, _)| self.is_register(operand))
            }
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "select" | "row" | "column" | "replicate" | "iselect" => {
                    !self.has_own_methods(&call.receiver)
                }
                "read_scattered" | "read_scattered_masked" | "fetch_atomic" | "fetch_atomic_masked" => true,
                "read" | "read_block" | "read_dwaligned" | "read_linear" | "load" => call.turbofish.is_some(),
                "convert" | "saturate" => self.is_register(&call.receiver),
                // A mask.
                _ => contains(call).is_some_and(|(_, value)| match value {
                    Expr::Reference(reference) => self.is_register(&reference.expr),
                    value => self.is_register(value),
                }),
            },
            _ => false,
        }
    }

    /// The tree in `value`, staged, for `assign_tree`.
    pub(super) fn assigned_tree(&self, value: &Expr) -> Option<Expr> {
        let named = self.is_pending(value).then_some(value);
        call_of(value, "value").or(named).cloned()
    }

    /// A mask, staged: a tree keeps only the bits that count.
    pub(super) fn merge_mask(&self, expr: &mut Expr) {
        let written = match &*expr {
            Expr::Reference(reference) => &reference.expr,
            other => other,
        };
        if let Some(tree) = self.assigned_tree(written) {
            let span = tree.span();
            let (mask, backend) = (self.library(span, "mask"), self.backend(span));
            *expr = syn::parse_quote_spanned!(span=> #mask::<#backend, _>(#tree));
        }
    }

    /// The tree that is the first operand of a function, which takes it as it is.
    pub(super) fn operand_tree(&self, call: &mut ExprCall) {
        let Some(arg) = tree_argument(call) else { return };
        if let Some(tree) = call_of(arg, "value") {
            *arg = self.inner(tree);
        } else {
            self.function_in_tree(arg);
        }
    }

    /// Whether it is the name of a tree that is part of others.
    pub(super) fn is_pending(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_pending(&paren.expr),
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| matches!(self.lookup(name), Some(Name::Pending(_))))
            }
            _ => false,
        }
    }

    /// Whether an expression is an operator on something other than host numbers, as far as syntax shows.
    fn is_tree(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_tree(&paren.expr),
            Expr::Binary(binary) => {
                of_tree(&binary.op).is_some() && !self.may_be_number(expr) && !joins_conditions(binary)
            }
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

    /// `staged`: its result certainly is.
    fn tree(&self, expr: &mut Expr, staged: bool) {
        match expr {
            Expr::Paren(paren) => self.tree(&mut paren.expr, staged),
            Expr::Binary(binary) => {
                let Some(name) = of_tree(&binary.op) else { return };
                // The call has the position of its left side, like the operator.
                let span = binary.span();
                let number_left = self.may_be_number(&binary.left);
                let (register, other) = match number_left {
                    true => (&binary.right, &mut binary.left),
                    false => (&binary.left, &mut binary.right),
                };
                // The other operand of a literal.
                let staged = staged && is_literal(other);
                // Beside what is staged, rustc would give literals these types later.
                let known = self.is_typed_register(register);
                let literal = (staged || known) && suffix_default(other);
                let typed = known && (literal || self.is_typed(other));
                let function = match (number_left, typed) {
                    (true, true) => "left",
                    (true, false) => "left_untyped",
                    (false, true) => "pending",
                    (false, false) => "pending_untyped",
                };
                let function = self.library(span, function);
                let (krate, backend) = (self.model.krate(span), self.backend(span));
                self.operand_of(&mut binary.left, staged && !number_left);
                self.operand_of(&mut binary.right, staged && number_left);
                let op = Ident::new(name, binary.op.span());
                let function = syn::parse_quote_spanned!(span=> #function::<#backend, #krate::__private::ops::#op, _, _>);
                let operands = [&mut binary.left, &mut binary.right].map(|side| {
                    // Mistakes are shown at the operator.
                    let and_token = Token![&](op.span());
                    let expr = std::mem::replace(side, Box::new(Expr::Verbatim(TokenStream::new())));
                    Expr::Reference(ExprReference { attrs: Vec::new(), and_token, mutability: None, expr })
                });
                *expr = called(span, function, operands);
            }
            _ => {}
        }
    }

    /// Whether a comparison with a matrix or vector, its operands staged, is an operator of a tree: rustc knows the types of
    /// both sides.
    pub(super) fn compares_registers(&self, binary: &ExprBinary) -> bool {
        let number = |side: &Expr| is_literal(side) || self.is_scalar(side) || self.is_number(side);
        let beside = |side: &Expr, other: &Expr| {
            self.is_typed_register(side) && (self.is_typed_register(other) || number(other))
        };
        beside(&binary.left, &binary.right) || beside(&binary.right, &binary.left)
    }

    /// Whether syntax shows that a staged expression is a matrix or vector whose type rustc knows: no integer without a
    /// type is part of it.
    pub(super) fn is_typed_register(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_typed_register(&paren.expr),
            Expr::Unary(unary) => self.is_typed_register(&unary.expr),
            // An operator that is not rewritten yet. Its literals get their types with it.
            Expr::Binary(binary) => {
                let beside = |side: &Expr, other: &Expr| {
                    self.is_typed_register(side) && (is_literal(other) || self.is_typed(other))
                };
                operator(&binary.op).is_some()
                    && (beside(&binary.left, &binary.right) || beside(&binary.right, &binary.left))
            }
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_typed_register(name)),
            Expr::Index(_) => {
                object(expr).and_then(|name| self.names_elements(name)).is_some_and(|elements| elements.typed)
            }
            Expr::MethodCall(call) if is_loaded(call) => self.is_typed_register(&call.receiver),
            Expr::MethodCall(call) => match of_method(&call.method.to_string()) {
                known if known.converts => true,
                known if known.gives_value => self.is_typed_register(&call.receiver),
                _ => self.is_register(expr) && !mentions(call.turbofish.to_token_stream(), "_"),
            },
            Expr::Call(call) if is_call_of(call, "function") => true,
            Expr::Call(call) => {
                match ["value", "inner", "load", "views"].iter().find_map(|function| call_of(expr, function))
                {
                    Some(Expr::Reference(object)) => self.is_typed_register(&object.expr),
                    Some(Expr::Call(tree)) => {
                        ["pending", "left"].iter().any(|function| is_call_of(tree, function))
                    }
                    _ => match elementwise(call) {
                        Some((operand, known)) => known && self.is_typed_register(operand),
                        None => self.is_register(expr) && !mentions(call.func.to_token_stream(), "_"),
                    },
                }
            }
            _ => false,
        }
    }

    /// Whether syntax shows that a staged expression is a register or a staged number, and rustc knows the type.
    fn is_typed(&self, expr: &Expr) -> bool {
        fn is_typed_number(stager: &Stager<'_>, expr: &Expr) -> bool {
            match expr {
                Expr::Paren(paren) => is_typed_number(stager, &paren.expr),
                Expr::Path(path) => path.path.get_ident().is_some_and(|name| stager.names_scalar(name)),
                Expr::Lit(_) | Expr::Unary(_) => has_suffix(expr),
                _ => call_of(expr, "cast").is_some_and(|value| is_typed_number(stager, value)),
            }
        }
        is_typed_number(self, expr) || self.is_typed_register(expr)
    }

    /// Whether syntax shows that an expression, as written, is a register whose shape rustc knows.
    pub(super) fn is_shaped(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_shaped(&paren.expr),
            Expr::Unary(unary) => self.is_shaped(&unary.expr),
            Expr::Binary(binary) => self.is_shaped(&binary.left) || self.is_shaped(&binary.right),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.names_shaped(name)),
            Expr::Call(call) => match elementwise(call) {
                Some((operand, _)) => self.is_shaped(operand),
                None => self.is_register(expr) && named(&call.func),
            },
            Expr::MethodCall(call) => {
                let known = of_method(&call.method.to_string());
                match &call.turbofish {
                    Some(sizes) if !known.converts => !mentions(sizes.to_token_stream(), "_"),
                    _ => known.gives_value && self.is_shaped(&call.receiver),
                }
            }
            _ => false,
        }
    }

    /// An operand of a tree: a region, or another operator.
    pub(super) fn operand(&self, expr: &mut Expr) {
        self.operand_of(expr, false);
    }

    fn operand_of(&self, expr: &mut Expr, staged: bool) {
        self.region_in_place(expr);
        let operator = call_of(expr, "value").cloned().or_else(|| {
            self.is_tree(expr).then(|| {
                self.tree(expr, staged);
                expr.clone()
            })
        });
        if let Some(operator) = operator {
            // Its elements have the promoted type, with which the tree around it goes on.
            let deep = self.depth(&operator) >= DEEPEST;
            *expr = if deep { self.computed(&operator) } else { self.inner(&operator) };
            return;
        }
        if self.is_pending(expr) && self.depth(expr) >= DEEPEST {
            *expr = self.computed(expr);
            return;
        }
        self.function_in_tree(expr);
        if matches!(expr, Expr::Binary(_) | Expr::Cast(_)) {
            // It gets a `&`, which binds closer.
            *expr = syn::parse_quote!((#expr));
        }
    }

    /// An operator as an operand.
    pub(super) fn inner(&self, operator: &Expr) -> Expr {
        let span = operator.span();
        let (inner, backend) = (self.library(span, "inner"), self.backend(span));
        called(span, syn::parse_quote_spanned!(span=> #inner::<#backend, _>), [operator.clone()])
    }

    /// `m.select::<..>(..)` and `m.row(..)` as operands: neighbouring columns need not be copied, nor blocks
    /// that are read in place.
    fn region_in_place(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(paren) => self.region_in_place(&mut paren.expr),
            Expr::MethodCall(call) if is_loaded(call) => {
                call.method = Ident::new("whole", call.method.span());
            }
            Expr::MethodCall(call) if is_region(call) && !self.has_own_methods(&call.receiver) => {
                let span = call.method.span();
                let (views, receiver) = (self.library(span, "views"), &call.receiver);
                *call.receiver = syn::parse_quote_spanned!(span=> #views(&#receiver));
            }
            _ => {}
        }
    }
}

/// The call of a function at `span`. The arguments are trees, which syn need not parse again with every operator around them.
fn called<const N: usize>(span: Span, function: Expr, arguments: [Expr; N]) -> Expr {
    let mut args = Punctuated::new();
    for argument in arguments {
        if !args.is_empty() {
            args.push_punct(Token![,](span));
        }
        args.push_value(argument);
    }
    Expr::Call(ExprCall { attrs: Vec::new(), func: Box::new(function), paren_token: Paren(span), args })
}

/// Whether a function is one of a type whose parameters are written.
fn named(function: &Expr) -> bool {
    let tokens = function.to_token_stream();
    mentions(tokens.clone(), "from_array") || (tokens.to_string().contains('<') && !mentions(tokens, "_"))
}

/// Whether it is a block that is read in place, in registers.
fn is_loaded(call: &syn::ExprMethodCall) -> bool {
    call.method == "loaded" && call_of(&call.receiver, "views").is_some()
}

/// Whether it is a region of neighbouring columns.
pub(super) fn is_region(call: &syn::ExprMethodCall) -> bool {
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

/// The argument of a function of `math` that may be a tree: the first one, if the call does not name its type. A function
/// whose result has named elements may be the user's own, in a module of the same name, if the call does not name them.
pub(super) fn tree_argument(call: &mut ExprCall) -> Option<&mut Expr> {
    let name = function_of_math(call)?;
    let known = of_function(&name.ident.to_string());
    let of_another = known.elementwise == Some(ResultElements::Named) && name.arguments.is_none();
    if !known.takes_trees || of_another {
        return None;
    }
    let named = match &name.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .nth(1)
            .is_some_and(|of| !matches!(of, GenericArgument::Type(Type::Infer(_)))),
        _ => false,
    };
    if named { None } else { call.args.first_mut() }
}

/// The first operand of a function of `math` whose result has its shape, and whether the call shows the type of the
/// elements of the result, if that of the operand is known.
fn elementwise(call: &ExprCall) -> Option<(&Expr, bool)> {
    let name = function_of_math(call)?;
    let known = match of_function(&name.ident.to_string()).elementwise? {
        ResultElements::OfOperands => true,
        ResultElements::Named => match &name.arguments {
            PathArguments::AngleBracketed(arguments) => {
                !matches!(arguments.args.first(), None | Some(GenericArgument::Type(Type::Infer(_))))
            }
            _ => false,
        },
    };
    Some((call.args.first()?, known))
}

/// The name in `math::name(..)`.
pub(super) fn function_of_math(call: &ExprCall) -> Option<&PathSegment> {
    let Expr::Path(function) = &*call.func else { return None };
    let mut segments = function.path.segments.iter().rev();
    let name = segments.next()?;
    segments.next().filter(|module| module.ident == "math").map(|_| name)
}

/// The argument of a call of this function of the library that the macros have made.
pub(super) fn call_of<'e>(expr: &'e Expr, function: &str) -> Option<&'e Expr> {
    match expr {
        Expr::Paren(paren) => call_of(&paren.expr, function),
        Expr::Call(call) if is_call_of(call, function) => call.args.first(),
        _ => None,
    }
}

/// The same, to change it.
pub(super) fn call_of_mut<'e>(expr: &'e mut Expr, function: &str) -> Option<&'e mut Expr> {
    match expr {
        Expr::Paren(paren) => call_of_mut(&mut paren.expr, function),
        Expr::Call(call) if is_call_of(call, function) => call.args.first_mut(),
        _ => None,
    }
}

/// Whether an operator, its operands staged, has a comparison that may be one of numbers: then both are conditions, which are
/// no operands of trees.
fn joins_conditions(binary: &ExprBinary) -> bool {
    fn is_condition(expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => is_condition(&paren.expr),
            Expr::Unary(unary) => is_condition(&unary.expr),
            Expr::Binary(binary) => joins_conditions(binary),
            side => ["compare", "between", "beyond", "and", "or", "decided"]
                .iter()
                .any(|name| call_of(side, name).is_some()),
        }
    }
    matches!(binary.op, BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_))
        && (is_condition(&binary.left) || is_condition(&binary.right))
}

/// The functions that stand for an operator of a tree.
const OPERATORS: [&str; 5] = ["pending", "pending_untyped", "left", "left_untyped", "function"];

/// The call that stands for an operator of a tree.
pub(super) fn operator_call(expr: &mut Expr) -> Option<&mut ExprCall> {
    match expr {
        Expr::Paren(paren) => operator_call(&mut paren.expr),
        Expr::Call(call) if is_operator(call) => Some(call),
        _ => None,
    }
}

fn is_operator(call: &ExprCall) -> bool {
    OPERATORS.iter().any(|function| is_call_of(call, function))
}

fn is_call_of(call: &ExprCall, function: &str) -> bool {
    let Expr::Path(ExprPath { path, .. }) = &*call.func else { return false };
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    names.next().is_some_and(|name| name == function) && names.next().is_some_and(|of| of == "__private")
}

/// The type of an operator of trees.
pub(super) fn of_tree(op: &BinOp) -> Option<&'static str> {
    operator(op).or_else(|| comparison(op))
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
