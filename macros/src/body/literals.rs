//! Literals, which get types where rustc would find them too late.

use syn::{Expr, ExprLit, ExprUnary, Lit, LitFloat, LitInt, Type, UnOp};

/// The literal of a literal, or of one with a minus sign.
pub(super) fn literal(expr: &mut Expr) -> Option<&mut Lit> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => literal(expr),
        Expr::Paren(paren) => literal(&mut paren.expr),
        _ => None,
    }
}

/// Whether it is a literal, or one with a minus sign.
pub(super) fn is_literal(expr: &Expr) -> bool {
    literal(&mut expr.clone()).is_some()
}

/// Whether it is an array of literals: one row of an array of arrays.
pub(super) fn is_row_of_literals(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_row_of_literals(&paren.expr),
        Expr::Repeat(repeat) => is_literal(&repeat.expr),
        Expr::Array(array) => !array.elems.is_empty() && array.elems.iter().all(is_literal),
        _ => false,
    }
}

/// Whether it is a number with a type, `0.5f32`, or one with a minus sign.
pub(super) fn has_suffix(expr: &Expr) -> bool {
    match literal(&mut expr.clone()) {
        Some(Lit::Int(int)) => !int.suffix().is_empty(),
        Some(Lit::Float(float)) => !float.suffix().is_empty(),
        _ => false,
    }
}

/// An unsuffixed literal becomes `i32` or `f64`, Rust's defaults; a variable's type must be known immediately. An integer that
/// is too large for `i32` has the first of `u32`, `i64` and `u64` that has it, like hexadecimal ones in CM.
pub(super) fn suffix_default(expr: &mut Expr) -> bool {
    let integers = type_of_large(expr).unwrap_or("i32");
    matches!(literal(expr), Some(Lit::Bool(_))) || suffix_with(expr, [integers, "f64"])
}

/// An unsuffixed integer that is too large for `i32` gets a type, where the library converts it: rustc would take it for an
/// `i32`.
pub(super) fn suffix_large(expr: &mut Expr) {
    if let Some(integers) = type_of_large(expr) {
        suffix_with(expr, [integers, "f64"]);
    }
}

/// The type of an integer literal that is too large for `i32`.
fn type_of_large(expr: &mut Expr) -> Option<&'static str> {
    let sign = if is_negative(expr) { -1 } else { 1 };
    let Some(Lit::Int(int)) = literal(expr) else { return None };
    let number = sign * int.base10_parse::<i128>().ok()?;
    match number {
        _ if i32::try_from(number).is_ok() => None,
        _ if u32::try_from(number).is_ok() => Some("u32"),
        _ if i64::try_from(number).is_ok() => Some("i64"),
        _ if u64::try_from(number).is_ok() => Some("u64"),
        // rustc reports it.
        _ => None,
    }
}

fn is_negative(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_negative(&paren.expr),
        Expr::Unary(unary) => !is_negative(&unary.expr),
        _ => false,
    }
}

/// The same for the elements of an array.
pub(super) fn suffix_elements(expr: &mut Expr) -> bool {
    match expr {
        Expr::Repeat(repeat) => suffix_elements(&mut repeat.expr),
        Expr::Array(array) => {
            // The others have the type of the first one.
            array.elems.iter().all(is_literal) && array.elems.first_mut().is_some_and(suffix_elements)
        }
        _ => suffix_default(expr),
    }
}

/// An unsuffixed literal gets the suffix for integers, or that for floats.
pub(super) fn suffix_with(expr: &mut Expr, [integers, floats]: [&str; 2]) -> bool {
    match literal(expr) {
        Some(Lit::Int(int)) if int.suffix().is_empty() => {
            *int = LitInt::new(&format!("{int}{integers}"), int.span());
            true
        }
        Some(Lit::Float(float)) if float.suffix().is_empty() => {
            *float = with_suffix(float, floats);
            true
        }
        _ => false,
    }
}

/// A float literal with this suffix. Behind the point of `2.` a suffix would be the name of a field.
fn with_suffix(float: &LitFloat, suffix: &str) -> LitFloat {
    let digit = if float.to_string().ends_with('.') { "0" } else { "" };
    LitFloat::new(&format!("{float}{digit}{suffix}"), float.span())
}

/// An unsuffixed integer literal takes the annotated type, so that it may be larger than an `i32`.
pub(super) fn suffix_as(expr: &mut Expr, ty: &Type) {
    let path = match (ty, &mut *expr) {
        (Type::Array(array), Expr::Repeat(repeat)) => return suffix_as(&mut repeat.expr, &array.elem),
        (Type::Array(array), Expr::Array(elements)) => {
            return elements.elems.iter_mut().for_each(|element| suffix_as(element, &array.elem));
        }
        (Type::Path(path), _) => path,
        _ => return,
    };
    let Some(name) = path.path.get_ident() else { return };
    let name = name.to_string();
    let integer =
        matches!(&*name, "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "u64" | "i64" | "usize" | "isize");
    match literal(expr) {
        Some(Lit::Int(int)) if int.suffix().is_empty() && integer => {
            *int = LitInt::new(&format!("{int}{name}"), int.span());
        }
        Some(Lit::Float(float)) if float.suffix().is_empty() && matches!(&*name, "f32" | "f64") => {
            *float = with_suffix(float, &name);
        }
        _ => {}
    }
}
