//! The common interface of matrices, vectors and scalars.

use std::panic::Location;

use cm_compiler::limits;
use cm_macros::op;

use crate::backend::{Backend, Operand, require};
use crate::elem::{Int, Numeric, Promote};
use crate::limits::Shape;
use crate::ops::{BinaryOp, Convert, GroupOp, TernaryOp, UnaryOp};
use crate::registers::{IntoScalar, Matrix, Scalar, Vector};

/// A matrix, a vector or a scalar. Built-in functions take any of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a register",
    label = "not a register",
    note = "built-in functions take a matrix, a vector or a staged scalar; of two operands only the second \
            can be a number: `Vector::splat(x)` repeats another one",
    note = "functions that have no choice of the result's type, such as `quot` and `imul`, take no `::<..>`"
)]
pub trait Register: Copy {
    /// Its elements.
    type Elem: Numeric;
    /// Its rows and columns, for limits.
    type Shape;
    /// Its backend.
    type Backend: Backend;
    /// A register of the same shape with other elements.
    type With<U: Numeric>: Register<Elem = U, Backend = Self::Backend>;

    /// [`Backend::map1`].
    #[doc(hidden)]
    #[track_caller]
    fn map1<O: UnaryOp<P>, P: Numeric, U: Numeric, const SAT: bool>(self) -> Self::With<U>;
    /// [`Backend::map2`].
    #[doc(hidden)]
    #[track_caller]
    fn map2<O: BinaryOp<P>, P: Numeric, V: Numeric, U: Numeric, const SAT: bool>(
        self,
        b: Self::With<V>,
    ) -> Self::With<U>;
    /// [`Backend::map3`].
    #[doc(hidden)]
    #[track_caller]
    fn map3<O: TernaryOp<Self::Elem, P>, P: Numeric, V: Numeric, W: Numeric, U: Numeric, const SAT: bool>(
        self,
        b: Self::With<V>,
        c: Self::With<W>,
    ) -> Self::With<U>;
    /// [`Backend::reduce`].
    #[doc(hidden)]
    #[track_caller]
    fn reduce<O: BinaryOp<P, Output = P>, P: Numeric, U: Numeric, const SAT: bool>(
        self,
    ) -> Scalar<U, Self::Backend>;
    /// [`Backend::pack_mask`].
    #[doc(hidden)]
    #[track_caller]
    fn pack_mask(self) -> Scalar<u32, Self::Backend>
    where
        Self::Elem: Int;
    /// A function that is composed of operators.
    #[doc(hidden)]
    #[track_caller]
    fn composed<F: Composed<Self::Elem, V, W>, V: Numeric, W: Numeric>(
        self,
        b: Self::With<V>,
        c: Self::With<W>,
    ) -> Self::With<F::Output>;
    /// [`Backend::group2`], if the elements are whole groups.
    #[doc(hidden)]
    #[track_caller]
    fn group2<O: GroupOp<P, W>, P: Numeric, V: Numeric, U: Numeric, const W: usize, const SAT: bool>(
        self,
        b: Self::With<V>,
    ) -> Self::With<U>;
}

/// A function of three registers that is composed of operators.
pub trait Composed<T: Numeric, V: Numeric, W: Numeric> {
    /// The elements of the result.
    type Output: Numeric;
    /// The result.
    #[track_caller]
    fn of<const R: usize, const C: usize, B: Backend>(
        a: Matrix<T, R, C, B>,
        b: Matrix<V, R, C, B>,
        c: Matrix<W, R, C, B>,
    ) -> Matrix<Self::Output, R, C, B>;
}

/// Implements [`Composed`]: `[generic parameters] Type: |a: T, b: V, c: W| -> U { .. }`. The body knows the shape
/// as `R` and `C`, and the backend as `B`.
macro_rules! composed {
    ($([$($params:tt)*] $name:ty: |$a:tt: $t:ty, $b:tt: $v:ty, $c:tt: $w:ty| -> $u:ty $body:block)*) => {$(
        impl<$($params)*> $crate::math::Composed<$t, $v, $w> for $name {
            type Output = $u;

            #[cm_macros::op]
            fn of<const R: usize, const C: usize, B: $crate::backend::Backend>(
                $a: $crate::registers::Matrix<$t, R, C, B>,
                $b: $crate::registers::Matrix<$v, R, C, B>,
                $c: $crate::registers::Matrix<$w, R, C, B>,
            ) -> $crate::registers::Matrix<$u, R, C, B> $body
        }
    )*};
}
pub(super) use composed;

/// A function of one register that is composed of operators.
#[op]
pub(super) fn of_one<F, A>(x: A) -> A::With<F::Output>
where
    A: Register,
    F: Composed<A::Elem, A::Elem, A::Elem>,
{
    let own = x.map1::<Convert, A::Elem, A::Elem, false>();
    x.composed::<F, _, _>(own, own)
}

/// An operand that can be combined with register `A`: a register of the same shape, or a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with `{A}`",
    label = "another shape, or not a number",
    note = "both operands have the same rows and columns, or the second one is a single number"
)]
pub trait Beside<A: Register>: Copy {
    /// Its elements.
    type Elem: Numeric;
    /// The type in which both are computed: the common type of operators.
    type Common: Numeric;
    /// `O` of that register and this operand. A number stays one, and regions are read where they are.
    #[doc(hidden)]
    #[track_caller]
    fn second_of<O: BinaryOp<P>, P: Numeric, U: Numeric, const SAT: bool>(self, a: A) -> A::With<U>;
    /// The operand as a register of that shape.
    #[doc(hidden)]
    #[track_caller]
    fn beside(self) -> A::With<Self::Elem>;
}

macro_rules! registers {
    ($reg:ident, $r:tt, $c:tt; $($params:tt)*) => {
        impl<T: Numeric, B: Backend, $($params)*> Register for registers!(@ty $reg T) {
            type Elem = T;
            type Shape = Shape<$r, $c>;
            type Backend = B;
            type With<U: Numeric> = registers!(@ty $reg U);

            #[op]
            fn map1<O: UnaryOp<P>, P: Numeric, U: Numeric, const SAT: bool>(self) -> Self::With<U> {
                $reg::from_reg(B::map1::<O, P, T, U, SAT, $r, $c>(self.into_reg()))
            }

            #[op]
            fn map2<O: BinaryOp<P>, P: Numeric, V: Numeric, U: Numeric, const SAT: bool>(
                self,
                b: Self::With<V>,
            ) -> Self::With<U> {
                $reg::from_reg(B::map2::<O, P, T, V, U, SAT, $r, $c>(self.into_reg(), b.into_reg()))
            }

            #[op]
            fn map3<O: TernaryOp<T, P>, P: Numeric, V: Numeric, W: Numeric, U: Numeric, const SAT: bool>(
                self,
                b: Self::With<V>,
                c: Self::With<W>,
            ) -> Self::With<U> {
                let (a, b, c) = (self.into_reg(), b.into_reg(), c.into_reg());
                $reg::from_reg(B::map3::<O, T, P, V, W, U, SAT, $r, $c>(a, b, c))
            }

            #[op]
            fn reduce<O: BinaryOp<P, Output = P>, P: Numeric, U: Numeric, const SAT: bool>(self) -> Scalar<U, B> {
                Scalar::from_reg(B::reduce::<O, P, T, U, SAT, $r, $c>(self.into_reg()))
            }

            #[op]
            fn pack_mask(self) -> Scalar<u32, B>
            where
                T: Int,
            {
                Scalar::from_reg(B::pack_mask::<T, $r, $c>(self.into_reg()))
            }

            #[op]
            fn composed<F: Composed<T, V, W>, V: Numeric, W: Numeric>(
                self,
                b: Self::With<V>,
                c: Self::With<W>,
            ) -> Self::With<F::Output> {
                let (a, b, c) = (self.into_reg(), b.into_reg(), c.into_reg());
                let (a, b, c) = (Matrix::from_reg(a), Matrix::from_reg(b), Matrix::from_reg(c));
                $reg::from_reg(F::of::<$r, $c, B>(a, b, c).into_reg())
            }

            #[op]
            fn group2<O: GroupOp<P, W>, P: Numeric, V: Numeric, U: Numeric, const W: usize, const SAT: bool>(
                self,
                b: Self::With<V>,
            ) -> Self::With<U> {
                require::<B>(const { limits::groups($r * $c, W) });
                $reg::from_reg(B::group2::<O, P, T, V, U, W, SAT, $r, $c>(self.into_reg(), b.into_reg()))
            }
        }
    };
    (@ty Matrix $t:ident) => { Matrix<$t, R, C, B> };
    (@ty Vector $t:ident) => { Vector<$t, N, B> };
    (@ty Scalar $t:ident) => { Scalar<$t, B> };
}

registers!(Matrix, R, C; const R: usize, const C: usize);
registers!(Vector, 1, N; const N: usize);
registers!(Scalar, 1, 1;);

impl<T, X, B, const R: usize, const C: usize> Beside<Matrix<T, R, C, B>> for X
where
    T: Numeric + Promote<X::Elem>,
    X: Operand<R, C, B, Elem: Numeric> + Copy,
    B: Backend,
{
    type Elem = X::Elem;
    type Common = T::Output;

    #[op]
    fn second_of<O: BinaryOp<P>, P: Numeric, U: Numeric, const SAT: bool>(
        self,
        a: Matrix<T, R, C, B>,
    ) -> Matrix<U, R, C, B> {
        Matrix::from_reg(B::tree::<O, P, Matrix<T, R, C, B>, X, U, SAT, R, C>(a, self, Location::caller()))
    }

    #[op]
    fn beside(self) -> Matrix<X::Elem, R, C, B> {
        Matrix::from_reg(self.into_operand())
    }
}

impl<T, X, B, const N: usize> Beside<Vector<T, N, B>> for X
where
    T: Numeric + Promote<X::Elem>,
    X: Operand<1, N, B, Elem: Numeric> + Copy,
    B: Backend,
{
    type Elem = X::Elem;
    type Common = T::Output;

    #[op]
    fn second_of<O: BinaryOp<P>, P: Numeric, U: Numeric, const SAT: bool>(
        self,
        a: Vector<T, N, B>,
    ) -> Vector<U, N, B> {
        Vector::from_reg(B::tree::<O, P, Vector<T, N, B>, X, U, SAT, 1, N>(a, self, Location::caller()))
    }

    #[op]
    fn beside(self) -> Vector<X::Elem, N, B> {
        Vector::from_reg(self.into_operand())
    }
}

impl<T, X, B> Beside<Scalar<T, B>> for X
where
    T: Numeric + Promote<X::Elem>,
    X: IntoScalar<B, Elem: Numeric> + Copy,
    B: Backend,
{
    type Elem = X::Elem;
    type Common = T::Output;

    #[op]
    fn second_of<O: BinaryOp<P>, P: Numeric, U: Numeric, const SAT: bool>(
        self,
        a: Scalar<T, B>,
    ) -> Scalar<U, B> {
        a.map2::<O, P, X::Elem, U, SAT>(self.into_scalar())
    }

    #[op]
    fn beside(self) -> Scalar<X::Elem, B> {
        self.into_scalar()
    }
}
