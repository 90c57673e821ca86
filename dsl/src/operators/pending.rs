//! An operator whose result is converted immediately: `(a + b).convert()`.
//!
//! The result has the promoted type, often twice as wide as the operands and the final result. Operator and conversion
//! are one step here, so that the CPU never stores the promoted result; compound assignments are one step as well.
//! `#[kernel]` recognises such a call by its form.

use std::marker::PhantomData;
use std::panic::Location;

use cm_macros::op;

use super::computes::Computes;
use super::left::RightOf;
use super::operand::Operand;
use crate::backend::Backend;
use crate::elem::{Elem, f16};
use crate::ops::BinaryOp;
use crate::registers::{Matrix, Scalar, Vector};

/// The left side of an operator that is followed by `convert` or `saturate`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods of registers",
    label = "not a register",
    note = "the method belongs to registers and staged scalars"
)]
pub trait LeftOf<O, R, B: Backend> {
    /// The result, with the methods `convert` and `saturate`.
    type Output;
    /// The result.
    #[track_caller]
    fn before(self, right: R) -> Self::Output;
}

/// `left O right`, on which `convert` or `saturate` will be called.
#[op]
pub fn pending<B: Backend, O, L: LeftOf<O, R, B>, R>(left: L, right: R) -> L::Output {
    left.before(right)
}

/// A matrix that is the result of an operator, before its conversion.
#[expect(missing_debug_implementations, reason = "never seen by a kernel")]
pub struct PendingMatrix<
    O: BinaryOp<P>,
    P: Elem,
    T: Elem,
    V: Elem,
    const R: usize,
    const C: usize,
    B: Backend,
> {
    left: B::Reg<T, R, C>,
    right: B::Reg<V, R, C>,
    place: &'static Location<'static>,
    operator: PhantomData<fn(P) -> O>,
}

/// A vector that is the result of an operator, before its conversion.
#[expect(missing_debug_implementations, reason = "never seen by a kernel")]
pub struct PendingVector<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, const N: usize, B: Backend> {
    left: B::Reg<T, 1, N>,
    right: B::Reg<V, 1, N>,
    place: &'static Location<'static>,
    operator: PhantomData<fn(P) -> O>,
}

macro_rules! registers {
    ($pending:ident, $reg:ident, $r:tt, $c:tt, [$($size:ident)*]; $($params:tt)*) => {
        #[doc(hidden)]
        impl<O, T, V, B, $($params)*> LeftOf<O, V, B> for $reg<T, $($size,)* B>
        where
            B: Backend,
            V: Operand<$r, $c, B>,
            T: Elem,
            O: Computes<T, V::Elem> + BinaryOp<<O as Computes<T, V::Elem>>::In>,
        {
            type Output = $pending<O, <O as Computes<T, V::Elem>>::In, T, V::Elem, $($size,)* B>;

            #[op]
            fn before(self, right: V) -> Self::Output {
                // Loaded at the operator: a variable may be stored before `convert` is called.
                let (left, right) = (B::load(&self.into_reg()), B::load(&right.into_operand()));
                $pending { left, right, place: Location::caller(), operator: PhantomData }
            }
        }

        impl<O: BinaryOp<P>, P: Elem, T: Elem, V: Elem, B: Backend, $($params)*> $pending<O, P, T, V, $($size,)* B> {
            /// The result, converted like an assignment.
            #[op]
            pub fn convert<U: Elem>(self) -> $reg<U, $($size,)* B> {
                // The instruction has the position of the operator, not of `.convert()`.
                B::locate(self.place);
                $reg::from_reg(B::map2::<O, P, T, V, U, false, $r, $c>(self.left, self.right))
            }

            /// The result, converted like CM's `SAT`.
            #[op]
            pub fn saturate<U: Elem>(self) -> $reg<U, $($size,)* B> {
                B::locate(self.place);
                $reg::from_reg(B::map2::<O, P, T, V, U, true, $r, $c>(self.left, self.right))
            }
        }
    };
}

registers!(PendingMatrix, Matrix, R, C, [R C]; const R: usize, const C: usize);
registers!(PendingVector, Vector, 1, N, [N]; const N: usize);

#[doc(hidden)]
impl<O, R: RightOf<O, Self, B>, T: Elem, B: Backend> LeftOf<O, R, B> for Scalar<T, B> {
    type Output = R::Output;

    #[op]
    fn before(self, right: R) -> R::Output {
        right.after(self)
    }
}

macro_rules! hosts {
    ($($host:ident)*) => {$(
        #[doc(hidden)]
        impl<O, R: RightOf<O, Self, B>, B: Backend> LeftOf<O, R, B> for $host {
            type Output = R::Output;

            #[op]
            fn before(self, right: R) -> R::Output {
                right.after(self)
            }
        }
    )*};
}

cm_compiler::for_each_element!(hosts);
