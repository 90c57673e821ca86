//! What may stand on the right of an operator: a register of the same shape, or a scalar.

use cm_macros::op;

use crate::backend::Backend;
use crate::elem::{Elem, f16};
use crate::registers::{Matrix, Scalar, Vector};

/// A single number: a host number or a staged scalar.
///
/// A host size (`usize`, `isize`) takes part as a CM `int` (`i32`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of the kernel language",
    label = "not a number",
    note = "numbers are host numbers (`3`, `0.5f32`) and staged scalars"
)]
pub trait ScalarLike: Copy {
    /// Its element type.
    type Elem: Elem;
}

/// A [`ScalarLike`] as a scalar of the backend.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of the kernel language",
    label = "not a number",
    note = "numbers are host numbers (`3`, `0.5f32`) and staged scalars"
)]
pub trait IntoScalar<B: Backend>: ScalarLike {
    /// The scalar.
    #[track_caller]
    fn into_scalar(self) -> Scalar<Self::Elem, B>;
}

/// The right operand of an `R` x `C` register: a register of the same shape or a single number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with a register of {R} rows and {C} columns",
    label = "another shape, or not a number",
    note = "both sides of an operator have the same rows and columns, or one is a single number: take a region with \
            `.select`, `.row(i)` or `.format`"
)]
pub trait Operand<const R: usize, const C: usize, B: Backend> {
    /// Its element type.
    type Elem: Elem;
    /// The register.
    #[track_caller]
    fn into_operand(self) -> B::Reg<Self::Elem, R, C>;
}

macro_rules! numbers {
    ($($t:ident as $elem:ident)*) => {$(
        impl ScalarLike for $t {
            type Elem = $elem;
        }

        impl<B: Backend> IntoScalar<B> for $t {
            #[op]
            fn into_scalar(self) -> Scalar<$elem, B> {
                Scalar::constant(self as $elem)
            }
        }

        impl<B: Backend, const R: usize, const C: usize> Operand<R, C, B> for $t {
            type Elem = $elem;
            #[op]
            fn into_operand(self) -> B::Reg<$elem, R, C> {
                B::splat(B::constant([[self as $elem]]))
            }
        }
    )*};
}

numbers! {
    u8 as u8 i8 as i8 u16 as u16 i16 as i16 u32 as u32 i32 as i32 u64 as u64 i64 as i64
    f16 as f16 f32 as f32 f64 as f64 usize as i32 isize as i32
}

impl<T: Elem, B: Backend> ScalarLike for Scalar<T, B> {
    type Elem = T;
}

impl<T: Elem, B: Backend> IntoScalar<B> for Scalar<T, B> {
    #[inline(always)]
    fn into_scalar(self) -> Self {
        self
    }
}

impl<T: Elem, B: Backend, const R: usize, const C: usize> Operand<R, C, B> for Scalar<T, B> {
    type Elem = T;
    #[op]
    fn into_operand(self) -> B::Reg<T, R, C> {
        B::splat(self.into_reg())
    }
}

impl<T: Elem, B: Backend, const R: usize, const C: usize> Operand<R, C, B> for Matrix<T, R, C, B> {
    type Elem = T;
    #[inline(always)]
    fn into_operand(self) -> B::Reg<T, R, C> {
        self.into_reg()
    }
}

impl<T: Elem, B: Backend, const N: usize> Operand<1, N, B> for Vector<T, N, B> {
    type Elem = T;
    #[inline(always)]
    fn into_operand(self) -> B::Reg<T, 1, N> {
        self.into_reg()
    }
}

impl<X: Operand<R, C, B> + Copy, B: Backend, const R: usize, const C: usize> Operand<R, C, B> for &X {
    type Elem = X::Elem;
    #[op]
    fn into_operand(self) -> B::Reg<X::Elem, R, C> {
        (*self).into_operand()
    }
}
