//! Numbers in trees of operators: `(255 - block).convert()`.

use cm_macros::{inlined, op};

use super::compound::{Compound, Strips};
use super::computes::{Computes, Known};
use super::pending::{InnerMatrix, InnerVector, LeftOf, Operated, PendingMatrix, PendingVector};
use crate::backend::{Backend, Operand, Storage};
use crate::elem::{Elem, f16};
use crate::ops::{Add, And, BinaryOp, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
use crate::registers::{IntoScalar, Matrix, MatrixView, Scalar, ScalarLike, Vector, VectorView};

/// The right side of an operator whose left side is a number, if a register method follows.
///
/// With an operator, the shape of the result would depend on the type of the literal, and rustc could not find the
/// method.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods of registers",
    label = "not a register",
    note = "the method belongs to registers and staged scalars"
)]
pub trait RightOf<O, L, B: Backend> {
    /// The element type in which the operator is computed.
    type In;
    /// Shape and elements of the result.
    type Output;
    /// The result.
    #[track_caller]
    fn after(self, left: L) -> Self::Output;
}

/// `left O right` in a tree, like [`pending`](super::pending).
#[op]
pub fn left<B, O, L, R>(left: L, right: R) -> <R::In as Known>::Then<R::Output>
where
    B: Backend,
    R: RightOf<O, L, B, In: Known>,
{
    <R::In as Known>::then(right.after(left))
}

/// The same if rustc may not know the type of `left` yet, like [`pending_untyped`](super::pending_untyped).
#[op]
pub fn left_untyped<B: Backend, O, L, R: RightOf<O, L, B>>(left: L, right: R) -> R::Output {
    right.after(left)
}

/// What can be on the right of a number in a tree, with the type of the result.
macro_rules! right_of {
    ($($pending:ident, $r:tt, $c:tt, [$($size:ident)*], $right:ty, $elem:ty, [$($bounds:tt)*]; [$($params:tt)*])*) => {$(
        #[doc(hidden)]
        impl<'a, $($params)*, O, L, B> RightOf<O, &'a L, B> for &'a $right
        where
            B: Backend,
            L: IntoScalar<B> + Operand<$r, $c, B> + Copy,
            O: Computes<<L as Operand<$r, $c, B>>::Elem, $elem>
                + BinaryOp<
                    <O as Computes<<L as Operand<$r, $c, B>>::Elem, $elem>>::In,
                >,
            $($bounds)*
        {
            type In = <O as Computes<<L as Operand<$r, $c, B>>::Elem, $elem>>::In;
            type Output = $pending<
                O,
                <O as Computes<<L as Operand<$r, $c, B>>::Elem, $elem>>::In,
                &'a L,
                Self,
                $($size,)*
                B,
            >;

            #[op]
            fn after(self, left: &'a L) -> Self::Output {
                $pending::new(left, self)
            }
        }
    )*};
}

right_of! {
    PendingMatrix, R, C, [R C], Matrix<T, R, C, B>, T, []; [T: Elem, const R: usize, const C: usize]
    PendingVector, 1, N, [N], Vector<T, N, B>, T, []; [T: Elem, const N: usize]
    PendingMatrix, R, C, [R C], InnerMatrix<Q, P, X, Y, R, C, B>, Q::Output, [
        Q: BinaryOp<P>, P: Elem, X: Operand<R, C, B> + Copy, Y: Operand<R, C, B> + Copy
    ]; [Q, P, X, Y, const R: usize, const C: usize]
    PendingVector, 1, N, [N], InnerVector<Q, P, X, Y, N, B>, Q::Output, [
        Q: BinaryOp<P>, P: Elem, X: Operand<1, N, B> + Copy, Y: Operand<1, N, B> + Copy
    ]; [Q, P, X, Y, const N: usize]
    PendingMatrix, R2, C2, [R2 C2], MatrixView<'v, T, R2, C2, R, C, VS, B, S>, T, [T: Elem, S: Storage<B> + 'v];
        ['v, T, S, const R: usize, const C: usize, const R2: usize, const C2: usize, const VS: usize]
    PendingVector, 1, N, [N], VectorView<'v, T, N, R, C, VS, B, S>, T, [T: Elem, S: Storage<B> + 'v];
        ['v, T, S, const R: usize, const C: usize, const N: usize, const VS: usize]
}

type Combined<O, L, T> = <O as BinaryOp<<O as Computes<L, T>>::In>>::Output;

#[doc(hidden)]
impl<'a, O, L, T, B> RightOf<O, &'a L, B> for &'a Scalar<T, B>
where
    B: Backend,
    L: IntoScalar<B> + Copy,
    T: Elem,
    O: Computes<L::Elem, T> + BinaryOp<<O as Computes<L::Elem, T>>::In>,
{
    type In = <O as Computes<L::Elem, T>>::In;
    type Output = Scalar<Combined<O, L::Elem, T>, B>;

    #[op]
    fn after(self, left: &'a L) -> Self::Output {
        let (left, right) = (left.into_scalar().into_reg(), self.into_reg());
        Scalar::from_reg(B::map2::<O, <O as Computes<L::Elem, T>>::In, L::Elem, T, _, false, 1, 1>(
            left, right,
        ))
    }
}

#[doc(hidden)]
impl<O, R: RightOf<O, Self, B>, T: Elem, B: Backend> LeftOf<O, R, B> for &Scalar<T, B> {
    type In = R::In;
    type Output = R::Output;
    type Register = Scalar<T, B>;

    #[op]
    fn before(self, right: R) -> R::Output {
        right.after(self)
    }

    #[inlined]
    fn register(self) -> Scalar<T, B> {
        *self
    }
}

/// Numbers, which are no trees: their functions are called, and nothing is converted.
macro_rules! no_trees {
    ($number:ty, $elem:ty $(, $param:ident: $bound:ident)?) => {
        impl<$($param: $bound,)? B: Backend> Operated<B> for $number {
            type Elem = $elem;
            type Inner = Self;
            type Value = Self;
            type Converted<U: Elem> = Self;

            #[inlined]
            fn into_inner(self) -> Self {
                self
            }

            #[op]
            fn function<Q, L, R>(left: L, right: R, of: impl FnOnce(L::Register, R) -> Self) -> Self
            where
                L: LeftOf<Q, R, B, Output = Self> + Copy,
                R: Copy,
            {
                of(left.register(), right)
            }

            #[inlined]
            fn into_value(self) -> Self {
                self
            }

            #[inlined]
            fn into_converted<U: Elem>(self) -> Self {
                self
            }
        }
    };
}

no_trees!(Scalar<T, B>, T, T: Elem);

#[doc(hidden)]
impl<T: Elem, B: Backend> Strips<B> for Scalar<T, B> {
    type Strip = ();

    #[inlined]
    fn strip(&self, _number: usize) {}
}

#[doc(hidden)]
impl<'a, O, T, Y, B> Compound<O, &'a Y, B> for Scalar<T, B>
where
    B: Backend,
    T: Elem,
    Y: ScalarLike + IntoScalar<B> + Copy,
    O: Computes<T, Y::Elem> + BinaryOp<<O as Computes<T, Y::Elem>>::In>,
{
    #[op]
    fn combine(&mut self, right: &'a Y) {
        let right = right.into_scalar().into_reg();
        let value = B::map2::<O, <O as Computes<T, Y::Elem>>::In, T, Y::Elem, T, false, 1, 1>(
            (*self).into_reg(),
            right,
        );
        B::store(self.reg_mut(), value);
    }
}

/// A host number on the right of a staged scalar.
macro_rules! hosts {
    ($($element:ident)*) => {
        hosts! { $($element as $element),* }
    };
    ($($host:ident as $elem:ident),*) => {$(
        #[doc(hidden)]
        impl<'a, O, T, B> RightOf<O, &'a Scalar<T, B>, B> for &'a $host
        where
            B: Backend,
            T: Elem,
            O: Computes<T, $elem> + BinaryOp<<O as Computes<T, $elem>>::In>,
        {
            type In = <O as Computes<T, $elem>>::In;
            type Output = Scalar<Combined<O, T, $elem>, B>;

            #[op]
            fn after(self, left: &'a Scalar<T, B>) -> Self::Output {
                let right = IntoScalar::<B>::into_scalar(*self);
                RightOf::<O, _, B>::after(&right, left)
            }
        }

        #[doc(hidden)]
        impl<O, R: RightOf<O, Self, B>, B: Backend> LeftOf<O, R, B> for &$host {
            type In = R::In;
            type Output = R::Output;
            type Register = $host;

            #[op]
            fn before(self, right: R) -> R::Output {
                right.after(self)
            }

            #[inlined]
            fn register(self) -> $host {
                *self
            }
        }

        no_trees!($host, $elem);
    )*};
}

cm_compiler::for_each_element!(hosts);
hosts! { usize as i32, isize as i32 }

/// Host numbers on both sides: what Rust computes.
macro_rules! host_operators {
    ($ops:tt: $($host:ident)*) => {
        $(host_operators!(@host $host $ops);)*
    };
    (@host $host:ident [$($op:ident $symbol:tt)*]) => {$(
        #[doc(hidden)]
        impl<'a, B: Backend> RightOf<$op, &'a $host, B> for &'a $host {
            type In = i32; // any known type
            type Output = $host;

            #[op]
            fn after(self, left: &'a $host) -> $host {
                *left $symbol *self
            }
        }
    )*};
}

host_operators!([Add + Sub - Mul * Div / Rem %]: f16 f32 f64);
host_operators!([Add + Sub - Mul * Div / Rem % And & Or | Xor ^ Shl << Shr >>]:
    u8 i8 u16 i16 u32 i32 u64 i64 usize isize);
