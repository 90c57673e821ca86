//! Trees of operators as first operands of functions: `math::abs::<i16, _>(a - b)`.
//!
//! `#[kernel]` passes them where functions of the table `built_ins.rs` take them. The CPU computes operators
//! and function in one pass.

use std::panic::Location;

use cm_macros::op;

use super::register::{Beside, Composed, Register};
use crate::backend::{Backend, Operand};
use crate::elem::{Elem, Int, Numeric, Promote};
use crate::limits::Shape;
use crate::operators::{InnerMatrix, InnerVector, Operated};
use crate::ops::{BinaryOp, GroupOp, TernaryOp, UnaryOp};
use crate::registers::{Matrix, Scalar, Vector};

macro_rules! trees {
    ($inner:ident, $reg:ident, $r:tt, $c:tt, [$($size:ident)*]; $($params:tt)*) => {
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<Q, P, X, Y, B, $($params)*> Register for $inner<Q, P, X, Y, $($size,)* B>
        where
            Q: BinaryOp<P, Output: Numeric>,
            P: Elem,
            X: Operand<$r, $c, B> + Copy,
            Y: Operand<$r, $c, B> + Copy,
            B: Backend,
        {
            type Elem = Q::Output;
            type Shape = Shape<$r, $c>;
            type Backend = B;
            type With<U: Numeric> = $reg<U, $($size,)* B>;

            #[op]
            fn map1<O: UnaryOp<D>, D: Numeric, U: Numeric, const SAT: bool>(self) -> Self::With<U> {
                $reg::from_reg(B::function_of_tree::<O, D, Self, U, SAT, $r, $c>(self))
            }

            #[op]
            fn map2<O: BinaryOp<D>, D: Numeric, V: Numeric, U: Numeric, const SAT: bool>(
                self,
                b: Self::With<V>,
            ) -> Self::With<U> {
                $reg::from_reg(B::tree::<O, D, Self, Self::With<V>, U, SAT, $r, $c>(self, b, Location::caller()))
            }

            #[op]
            fn map3<O: TernaryOp<Q::Output, D>, D: Numeric, V: Numeric, W: Numeric, U: Numeric, const SAT: bool>(
                self,
                b: Self::With<V>,
                c: Self::With<W>,
            ) -> Self::With<U> {
                self.into_value().map3::<O, D, V, W, U, SAT>(b, c)
            }

            #[op]
            fn reduce<O: BinaryOp<D, Output = D>, D: Numeric, U: Numeric, const SAT: bool>(self) -> Scalar<U, B> {
                self.into_value().reduce::<O, D, U, SAT>()
            }

            #[op]
            fn pack_mask(self) -> Scalar<u32, B>
            where
                Q::Output: Int,
            {
                self.into_value().pack_mask()
            }

            #[op]
            fn composed<F: Composed<Q::Output, V, W>, V: Numeric, W: Numeric>(
                self,
                b: Self::With<V>,
                c: Self::With<W>,
            ) -> Self::With<F::Output> {
                self.into_value().composed::<F, V, W>(b, c)
            }

            #[op]
            fn group2<O: GroupOp<D, W>, D: Numeric, V: Numeric, U: Numeric, const W: usize, const SAT: bool>(
                self,
                b: Self::With<V>,
            ) -> Self::With<U> {
                self.into_value().group2::<O, D, V, U, W, SAT>(b)
            }
        }

        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<Q, P, X, Y, Z, B, $($params)*> Beside<$inner<Q, P, X, Y, $($size,)* B>> for Z
        where
            Q: BinaryOp<P, Output: Numeric + Promote<Z::Elem>>,
            P: Elem,
            X: Operand<$r, $c, B> + Copy,
            Y: Operand<$r, $c, B> + Copy,
            Z: Operand<$r, $c, B, Elem: Numeric> + Copy,
            B: Backend,
        {
            type Elem = Z::Elem;
            type Common = <Q::Output as Promote<Z::Elem>>::Output;

            #[op]
            fn second_of<O: BinaryOp<D>, D: Numeric, U: Numeric, const SAT: bool>(
                self,
                a: $inner<Q, P, X, Y, $($size,)* B>,
            ) -> $reg<U, $($size,)* B> {
                $reg::from_reg(B::tree::<O, D, _, Z, U, SAT, $r, $c>(a, self, Location::caller()))
            }

            #[op]
            fn beside(self) -> $reg<Z::Elem, $($size,)* B> {
                $reg::from_reg(self.into_operand())
            }
        }
    };
}

trees!(InnerMatrix, Matrix, R, C, [R C]; const R: usize, const C: usize);
trees!(InnerVector, Vector, 1, N, [N]; const N: usize);
