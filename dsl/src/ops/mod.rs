//! The operators as types: the kinds for backends, and the meanings on one element.

pub mod atomic;
mod dpas;
mod group;

pub use atomic::AtomicOp;
pub use cm_compiler::ops::{AtomicKind, MapKind};
pub use dpas::{Factor, GoesWith, Precision, S4, U4};
pub use group::*;

use std::marker::PhantomData;

use cm_macros::inlined;

use crate::elem::{Convert as _, Dword, Elem, Int, Numeric, Single};

/// A unary operation on an element of type `P`.
#[diagnostic::on_unimplemented(
    message = "this operator is not defined for `{P}` elements",
    label = "not defined for `{P}`"
)]
pub trait UnaryOp<P: Elem>: Copy + 'static {
    /// The kind of operation.
    const KIND: MapKind;
    /// The element type of the result.
    type Output: Elem;
    /// The result.
    fn apply(x: P) -> Self::Output;
}

/// A binary operation on two elements of type `P`.
#[diagnostic::on_unimplemented(
    message = "this operator is not defined for `{P}` elements",
    label = "not defined for `{P}`"
)]
pub trait BinaryOp<P: Elem>: Copy + 'static {
    /// The kind of operation.
    const KIND: MapKind;
    /// The element type of the result.
    type Output: Elem;
    /// The result.
    fn apply(a: P, b: P) -> Self::Output;
}

/// A unary operation as a binary one that ignores its second operand.
#[derive(Clone, Copy, Debug)]
pub struct OfFirst<O>(PhantomData<O>);

impl<O: UnaryOp<P>, P: Elem> BinaryOp<P> for OfFirst<O> {
    const KIND: MapKind = O::KIND;
    type Output = O::Output;
    #[inlined]
    fn apply(a: P, _: P) -> O::Output {
        O::apply(a)
    }
}

/// A function whose results are converted to `U`, like an assignment or like CM's `SAT`.
#[derive(Clone, Copy, Debug)]
pub struct As<O, U, const SAT: bool>(PhantomData<(O, U)>);

impl<O: BinaryOp<P>, P: Elem, U: Elem, const SAT: bool> BinaryOp<P> for As<O, U, SAT> {
    const KIND: MapKind = O::KIND;
    type Output = U;
    #[inlined]
    fn apply(a: P, b: P) -> U {
        let x = O::apply(a, b);
        // Rust's `as` from floats to bytes and words becomes one instruction for each element.
        if const { O::Output::FLOAT && !U::FLOAT && U::TYPE.bytes() <= 2 } {
            U::saturate_from(i32::cast_from(x))
        } else if const { SAT && (U::FLOAT || !O::Output::FLOAT) } {
            U::saturate_from(x)
        } else {
            U::cast_from(x)
        }
    }
}

/// A ternary operation on an element of type `F`, which is a mask for some operations and converted to `P`
/// for the others, and two elements of type `P`.
#[diagnostic::on_unimplemented(
    message = "this operator is not defined for `{P}` elements",
    label = "not defined for `{P}`"
)]
pub trait TernaryOp<F: Elem, P: Elem>: Copy + 'static {
    /// The kind of operation.
    const KIND: MapKind;
    /// The element type of the result.
    type Output: Elem;
    /// The result.
    fn apply(a: F, b: P, c: P) -> Self::Output;
}

/// The marker type of every row of the table, and its meaning on one element.
macro_rules! markers {
    (
        unary { $($(#[$doc1:meta])* $k1:ident $t1:literal ($a1:ident: $d1:ident) -> $r1:ident, $c1:ident, [$($e1:tt)*], $m1:expr;)* }
        binary { $($(#[$doc2:meta])* $k2:ident $t2:literal ($a2:ident, $b2:ident: $d2:ident) -> $r2:ident, $c2:ident, [$($e2:tt)*], $m2:expr;)* }
        ternary { $($(#[$doc3:meta])* $k3:ident $t3:literal ($a3:ident, $b3:ident, $e3:ident: $d3:ident) -> $r3:ident, $c3:ident, [$($x3:tt)*], $m3:expr;)* }
    ) => {
        $(
            $(#[$doc1])*
            #[derive(Clone, Copy, Debug)]
            pub struct $k1;

            impl<P: $d1> UnaryOp<P> for $k1 {
                const KIND: MapKind = MapKind::$k1;
                type Output = markers!(@result $r1);
                #[inlined]
                fn apply(x: P) -> Self::Output {
                    ($m1)(x)
                }
            }
        )*
        $(
            $(#[$doc2])*
            #[derive(Clone, Copy, Debug)]
            pub struct $k2;

            impl<P: $d2> BinaryOp<P> for $k2 {
                const KIND: MapKind = MapKind::$k2;
                type Output = markers!(@result $r2);
                #[inlined]
                fn apply(a: P, b: P) -> Self::Output {
                    ($m2)(a, b)
                }
            }
        )*
        $(
            $(#[$doc3])*
            #[derive(Clone, Copy, Debug)]
            pub struct $k3;

            markers!(@ternary $k3 $a3 $d3 $r3 $m3);
        )*
    };
    (@ternary $kind:ident mask $domain:ident $result:ident $meaning:expr) => {
        impl<F: Int, P: $domain> TernaryOp<F, P> for $kind {
            const KIND: MapKind = MapKind::$kind;
            type Output = markers!(@result $result);
            #[inlined]
            fn apply(a: F, b: P, c: P) -> Self::Output {
                let one = F::cast_from(1u8);
                ($meaning)(F::and(a, one) == one, b, c)
            }
        }
    };
    (@ternary $kind:ident $operand:ident $domain:ident $result:ident $meaning:expr) => {
        impl<F: Elem, P: $domain> TernaryOp<F, P> for $kind {
            const KIND: MapKind = MapKind::$kind;
            type Output = markers!(@result $result);
            #[inlined]
            fn apply(a: F, b: P, c: P) -> Self::Output {
                ($meaning)(P::cast_from(a), b, c)
            }
        }
    };
    (@result same) => { P };
    (@result mask) => { u16 };
    (@result unsigned) => { P::Unsigned };
}

cm_compiler::map_operations!(markers);

#[cfg(test)]
mod tests;
