//! The operators as types: what a backend is told, and what they mean on one element.

mod arith;
mod atomic;
mod compare;
mod left;
mod merge;
mod operand;
mod pending;

pub use atomic::changed;
pub use cm_compiler::ops::{AtomicKind, BinaryKind, UnaryKind};
pub use compare::{Compare, CompareOp, compare};
pub use left::{RightOf, left};
pub use merge::{Mask, MergeSource};
pub use operand::{IntoScalar, Operand, ScalarLike};
pub use pending::{Computes, LeftOf, PendingMatrix, PendingVector, pending};

use crate::elem::{Elem, Int};

/// A binary operator on two elements of type `P`.
#[diagnostic::on_unimplemented(
    message = "this operator is not defined for `{P}` elements",
    label = "not defined for `{P}`"
)]
pub trait BinaryOp<P: Elem>: Copy + 'static {
    /// Which it is.
    const KIND: BinaryKind;
    /// The element type of the result.
    type Output: Elem;
    /// The result.
    fn apply(a: P, b: P) -> Self::Output;
}

/// A unary operator on an element of type `P`.
#[diagnostic::on_unimplemented(
    message = "this operator is not defined for `{P}` elements",
    label = "not defined for `{P}`"
)]
pub trait UnaryOp<P: Elem>: Copy + 'static {
    /// Which it is.
    const KIND: UnaryKind;
    /// The element type of the result.
    type Output: Elem;
    /// The result.
    fn apply(x: P) -> Self::Output;
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident: $bound:ident => $out:ty, $apply:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl<P: $bound> BinaryOp<P> for $name {
            const KIND: BinaryKind = BinaryKind::$name;
            type Output = $out;
            #[inline(always)]
            fn apply(a: P, b: P) -> $out {
                ($apply)(a, b)
            }
        }
    )*};
}

binary! {
    /// `+`
    Add: Elem => P, P::add;
    /// `-`
    Sub: Elem => P, P::sub;
    /// `*`
    Mul: Elem => P, P::mul;
    /// `/`
    Div: Elem => P, P::div;
    /// `%`
    Rem: Int => P, P::rem;
    /// `&`
    And: Int => P, P::and;
    /// `|`
    Or: Int => P, P::or;
    /// `^`
    Xor: Int => P, P::xor;
    /// `<<`
    Shl: Int => P, P::shl;
    /// `>>`
    Shr: Int => P, P::shr;
    /// The smaller one; limits staged offsets.
    Min: Int => P, |a: P, b: P| if b < a { b } else { a };
    /// `<`
    Lt: Elem => u16, |a: P, b: P| (a < b) as u16;
    /// `<=`
    Le: Elem => u16, |a: P, b: P| (a <= b) as u16;
    /// `>`
    Gt: Elem => u16, |a: P, b: P| (a > b) as u16;
    /// `>=`
    Ge: Elem => u16, |a: P, b: P| (a >= b) as u16;
    /// `==`
    Eq: Elem => u16, |a: P, b: P| (a == b) as u16;
    /// `!=`
    Ne: Elem => u16, |a: P, b: P| (a != b) as u16;
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident: $bound:ident, $apply:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl<P: $bound> UnaryOp<P> for $name {
            const KIND: UnaryKind = UnaryKind::$name;
            type Output = P;
            #[inline(always)]
            fn apply(x: P) -> P {
                ($apply)(x)
            }
        }
    )*};
}

unary! {
    /// `-`, on promoted elements.
    Neg: Elem, P::neg;
    /// CM's `~`, in Rust `!`, on promoted elements.
    Not: Int, P::not;
}

#[cfg(test)]
mod tests;
