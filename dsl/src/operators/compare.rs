//! Comparisons: `u16` masks of registers, conditions of scalars, `bool` of host values.

use cm_macros::op;

use super::operand::Operand;
use crate::backend::Backend;
use crate::elem::{Elem, Promote, Promoted, f16};
use crate::ops::{BinaryOp, Eq, Ge, Gt, Le, Lt, Ne};
use crate::registers::{IntoScalar, Matrix, Scalar, ScalarLike, Vector};

/// A comparison operator.
pub trait CompareOp: Copy + 'static {
    /// The comparison of two host values.
    fn host<T: PartialOrd>(a: &T, b: &T) -> bool;
}

macro_rules! host {
    ($($op:ident $symbol:tt)*) => {$(
        impl CompareOp for $op {
            #[inline(always)]
            fn host<T: PartialOrd>(a: &T, b: &T) -> bool {
                a $symbol b
            }
        }
    )*};
}

host! { Lt < Le <= Gt > Ge >= Eq == Ne != }

/// `self O rhs` as `#[kernel]` writes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared with `{Rhs}` in a kernel",
    label = "no comparison of these two",
    note = "registers compare with registers of the same rows and columns and with numbers, host values with \
            host values of the same type"
)]
pub trait Compare<O: CompareOp, Rhs, B: Backend> {
    /// `u16` register, condition, or `bool`.
    type Output;
    /// The result.
    #[track_caller]
    fn compare(self, rhs: Rhs) -> Self::Output;
}

macro_rules! hosts {
    ($($t:ident)*) => {$(
        #[doc(hidden)]
        impl<O: CompareOp, B: Backend> Compare<O, $t, B> for $t {
            type Output = bool;
            #[inline(always)]
            fn compare(self, rhs: $t) -> bool {
                O::host(&self, &rhs)
            }
        }
    )*};
}

cm_compiler::for_each_element!(hosts);
hosts! { usize isize bool char }

macro_rules! registers {
    ($reg:ident, $from:ty, $mask:ty, $other:ty, $r:tt, $c:tt; $($params:tt)*) => {
        #[doc(hidden)]
        impl<O, T, V, B, $($params)*> Compare<O, V, B> for $from
        where
            O: CompareOp + BinaryOp<Promoted<T, V::Elem>, Output = u16>,
            B: Backend,
            V: Operand<$r, $c, B>,
            T: Promote<V::Elem>,
        {
            type Output = $mask;
            #[op]
            fn compare(self, rhs: V) -> $mask {
                $reg::from_reg(B::map2::<O, Promoted<T, V::Elem>, T, V::Elem, _, false, $r, $c>(
                    self.into_reg(),
                    rhs.into_operand(),
                ))
            }
        }

        #[doc(hidden)]
        impl<O, T, V, B, $($params)*> Compare<O, $other, B> for Scalar<T, B>
        where
            O: CompareOp + BinaryOp<Promoted<T, V>, Output = u16>,
            B: Backend,
            T: Promote<V>,
            V: Elem,
        {
            type Output = $mask;
            #[op]
            fn compare(self, rhs: $other) -> $mask {
                $reg::from_reg(B::map2::<O, Promoted<T, V>, T, V, _, false, $r, $c>(B::splat(self.into_reg()), rhs.into_reg()))
            }
        }

        cm_compiler::for_each_element!(registers @hosts $reg, $mask, $other, $r, $c; ($($params)*););

        /// Comparisons, for plain Rust. In kernels use the operators `<`, `<=`, `>`, `>=`, `==` and `!=`.
        impl<T: Elem, B: Backend, $($params)*> $from {
            registers!(@method $r, $c, $mask;
                simd_lt Lt "<", simd_le Le "<=", simd_gt Gt ">", simd_ge Ge ">=", simd_eq Eq "==", simd_ne Ne "!=");
        }
    };

    (@hosts $reg:ident, $mask:ty, $other:ty, $r:tt, $c:tt; $params:tt; $($host:ident)*) => {$(
        registers!(@host $reg, $mask, $other, $r, $c; $params; $host);
    )*};
    (@host $reg:ident, $mask:ty, $other:ty, $r:tt, $c:tt; ($($params:tt)*); $host:ident) => {
        #[doc(hidden)]
        impl<O, V, B, $($params)*> Compare<O, $other, B> for $host
        where
            O: CompareOp + BinaryOp<Promoted<$host, V>, Output = u16>,
            B: Backend,
            V: Elem,
            $host: Promote<V>,
        {
            type Output = $mask;
            #[op]
            fn compare(self, rhs: $other) -> $mask {
                Compare::<O, $other, B>::compare(Scalar::<$host, B>::constant(self), rhs)
            }
        }
    };

    (@method $r:tt, $c:tt, $mask:ty; $($name:ident $op:ident $symbol:literal),*) => {$(
        #[doc = concat!("`self ", $symbol, " rhs` for each element: 1 if it holds, else 0.")]
        ///
        /// `rhs` is a register of the same shape or a number; both are compared in their common type. Kernels
        /// write the operator. CM: the operator, which returns a vector of `ushort`; the mask here has the
        /// shape of `self`.
        ///
        /// ```
        /// use cm::prelude::*;
        #[doc = concat!("let mask = Vector::from_array([1u8, 2, 3]).", stringify!($name), "(2);")]
        #[doc = concat!("assert_eq!(mask.to_array(), [1u8, 2, 3].map(|x| u16::from(x ", $symbol, " 2)));")]
        /// ```
        #[op]
        pub fn $name<V: Operand<$r, $c, B>>(self, rhs: V) -> $mask
        where
            T: Promote<V::Elem>,
        {
            Compare::<$op, V, B>::compare(self, rhs)
        }
    )*};
}

registers!(Matrix, Matrix<T, R, C, B>, Matrix<u16, R, C, B>, Matrix<V, R, C, B>, R, C; const R: usize, const C: usize);
registers!(Vector, Vector<T, N, B>, Vector<u16, N, B>, Vector<V, N, B>, 1, N; const N: usize);

#[doc(hidden)]
impl<O, T, V, B> Compare<O, V, B> for Scalar<T, B>
where
    O: CompareOp + BinaryOp<Promoted<T, V::Elem>, Output = u16>,
    B: Backend,
    V: ScalarLike + IntoScalar<B>,
    T: Promote<V::Elem>,
{
    type Output = B::Cond;
    #[op]
    fn compare(self, rhs: V) -> B::Cond {
        // A condition is a mask of one element that is not zero.
        B::any(B::map2::<O, Promoted<T, V::Elem>, T, V::Elem, u16, false, 1, 1>(
            self.into_reg(),
            rhs.into_scalar().into_reg(),
        ))
    }
}

macro_rules! host_with_scalar {
    ($($host:ident)*) => {$(
        #[doc(hidden)]
        impl<O, T, B> Compare<O, Scalar<T, B>, B> for $host
        where
            O: CompareOp + BinaryOp<Promoted<$host, T>, Output = u16>,
            B: Backend,
            T: Elem,
            $host: Promote<T>,
        {
            type Output = B::Cond;
            #[op]
            fn compare(self, rhs: Scalar<T, B>) -> B::Cond {
                Compare::<O, Scalar<T, B>, B>::compare(Scalar::<$host, B>::constant(self), rhs)
            }
        }
    )*};
}

cm_compiler::for_each_element!(host_with_scalar);

macro_rules! scalar_methods {
    ($($name:ident $op:ident $symbol:literal),*) => {
        impl<T: Elem, B: Backend> Scalar<T, B> {$(
            #[doc = concat!("`self ", $symbol, " rhs` as a condition: `bool` in plain Rust.")]
            ///
            /// Kernels write the operator.
            ///
            /// ```
            /// use cm::prelude::*;
            /// let one = Scalar::<u8>::constant(1);
            #[doc = concat!("assert_eq!(one.", stringify!($name), "(2), 1 ", $symbol, " 2);")]
            /// ```
            #[op]
            #[must_use]
            pub fn $name<V: ScalarLike + IntoScalar<B>>(self, rhs: V) -> B::Cond
            where
                T: Promote<V::Elem>,
            {
                Compare::<$op, V, B>::compare(self, rhs)
            }
        )*}
    };
}

scalar_methods!(simd_lt Lt "<", simd_le Le "<=", simd_gt Gt ">", simd_ge Ge ">=", simd_eq Eq "==", simd_ne Ne "!=");

/// `a O b` as `#[kernel]` writes it.
#[op]
pub fn compare<B: Backend, O: CompareOp, L: Compare<O, R, B>, R>(a: L, b: R) -> L::Output {
    a.compare(b)
}
