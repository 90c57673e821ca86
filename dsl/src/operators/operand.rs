//! The right side of an operator: a register of the same shape, or a scalar.

use cm_macros::op;

use crate::backend::Backend;
use crate::elem::{Elem, bf16, f16, tf32};
use crate::registers::{Matrix, Scalar, Vector};

/// The right operand of an `R` x `C` register: a register of the same shape or a single number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with a register of {R} rows and {C} columns",
    label = "another shape, or not a number",
    note = "both sides of an operator have the same rows and columns, or one is a single number: take a \
            region with `.select`, `.row(i)` or `.format`",
    note = "a helper that gives a register to a kernel needs `#[function]`"
)]
pub trait Operand<const R: usize, const C: usize, B: Backend> {
    /// Its element type.
    type Elem: Elem;
    /// The register.
    #[track_caller]
    fn into_operand(self) -> B::Reg<Self::Elem, R, C>;
}

macro_rules! numbers {
    ($($element:ident)*) => {
        numbers! { $($element as $element),* }
    };
    ($($t:ident as $elem:ident),*) => {$(
        impl<B: Backend, const R: usize, const C: usize> Operand<R, C, B> for $t {
            type Elem = $elem;
            #[op]
            fn into_operand(self) -> B::Reg<$elem, R, C> {
                B::splat(B::constant([[self as $elem]]))
            }
        }
    )*};
}

cm_compiler::for_each_element!(numbers);
crate::for_each_storage!(numbers);
// In arithmetic they are treated as `i32`, like an `int` loop variable in C.
numbers! { usize as i32, isize as i32 }

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
