//! Registers, scalars and host numbers as operands.

use cm_macros::{inlined, op};

use crate::backend::{Backend, Bounds, Operand, Sealed};
use crate::elem::{Elem, bf16, f16, is_byte, is_long, tf32};
use crate::registers::{IntoScalar, Matrix, Scalar, Vector};

macro_rules! numbers {
    ($($element:ident)*) => {
        numbers! { $($element as $element),* }
    };
    ($($t:ident as $elem:ident),*) => {$(
        impl Sealed for $t {}

        impl<B: Backend, const R: usize, const C: usize> Operand<R, C, B> for $t {
            type Elem = $elem;
            const BYTES: bool = !<$elem as Elem>::FLOAT;
            #[op]
            fn into_operand(self) -> B::Reg<$elem, R, C> {
                B::splat(IntoScalar::<B>::into_scalar(self).into_reg())
            }
            #[inlined]
            fn is_apart(&self, _: usize) -> bool {
                true
            }
            #[inlined]
            fn bounds(&self) -> Bounds {
                Bounds::number(*self as $elem)
            }
            #[inlined]
            fn element(&self, _: B::Lane<R, C>) -> $elem {
                *self as $elem
            }
        }
    )*};
}

cm_compiler::for_each_element!(numbers);
crate::for_each_storage!(numbers);
// In arithmetic they are treated as `i32`, like an `int` loop variable in C.
numbers! { usize as i32, isize as i32 }

impl<T: Elem, B: Backend> Sealed for Scalar<T, B> {}
impl<T: Elem, const R: usize, const C: usize, B: Backend> Sealed for Matrix<T, R, C, B> {}
impl<T: Elem, const N: usize, B: Backend> Sealed for Vector<T, N, B> {}

impl<T: Elem, B: Backend, const R: usize, const C: usize> Operand<R, C, B> for Scalar<T, B> {
    type Elem = T;
    const STAGED_NUMBER: bool = true;
    const BYTES: bool = is_byte::<T>();
    #[op]
    fn into_operand(self) -> B::Reg<T, R, C> {
        B::splat(self.into_reg())
    }
    /// Asked where it is the [same](Self::same) in all threads.
    #[inlined]
    fn is_apart(&self, _: usize) -> bool {
        true
    }
    #[inlined]
    fn same(&self) -> bool {
        B::same_number(self.reg())
    }
    #[inlined]
    fn element(&self, lane: B::Lane<R, C>) -> T {
        B::number::<T, R, C>(self.reg(), lane)
    }
}

impl<T: Elem, B: Backend, const R: usize, const C: usize> Operand<R, C, B> for Matrix<T, R, C, B> {
    type Elem = T;
    const LONG: bool = is_long::<T>();
    const BYTES: bool = is_byte::<T>();
    #[inlined]
    fn into_operand(self) -> B::Reg<T, R, C> {
        self.into_reg()
    }
    #[inlined]
    fn element(&self, lane: B::Lane<R, C>) -> T {
        B::element::<T, R, C>(self.reg(), lane)
    }
}

impl<T: Elem, B: Backend, const N: usize> Operand<1, N, B> for Vector<T, N, B> {
    type Elem = T;
    const LONG: bool = is_long::<T>();
    const BYTES: bool = is_byte::<T>();
    #[inlined]
    fn into_operand(self) -> B::Reg<T, 1, N> {
        self.into_reg()
    }
    #[inlined]
    fn element(&self, lane: B::Lane<1, N>) -> T {
        B::element::<T, 1, N>(self.reg(), lane)
    }
}

impl<X: Operand<R, C, B> + Copy, B: Backend, const R: usize, const C: usize> Operand<R, C, B> for &X {
    type Elem = X::Elem;
    const STAGED_NUMBER: bool = X::STAGED_NUMBER;
    const LONG: bool = X::LONG;
    const LONG_PARTS: bool = X::LONG_PARTS;
    const PARTS: bool = X::PARTS;
    const IN_MEMORY: bool = X::IN_MEMORY;
    const WHOLE_ROWS: bool = X::WHOLE_ROWS;
    const OPERATORS: usize = X::OPERATORS;
    const BYTES: bool = X::BYTES;
    const SHIFTED: bool = X::SHIFTED;
    #[op]
    fn into_operand(self) -> B::Reg<X::Elem, R, C> {
        (*self).into_operand()
    }
    #[inlined]
    fn chosen(&self) -> bool {
        (**self).chosen()
    }
    #[inlined]
    fn is_apart(&self, columns: usize) -> bool {
        (**self).is_apart(columns)
    }
    #[inlined]
    fn begin(&self) {
        (**self).begin();
    }
    #[inlined]
    fn bounds(&self) -> Bounds {
        (**self).bounds()
    }
    #[inlined]
    fn same(&self) -> bool {
        (**self).same()
    }
    #[inlined]
    fn element(&self, lane: B::Lane<R, C>) -> X::Elem {
        (**self).element(lane)
    }
    #[inlined]
    fn low(&self, lane: B::Lane<R, C>) -> u16 {
        (**self).low(lane)
    }
}
