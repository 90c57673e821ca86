//! Scalars of kernels.

use cm_compiler::limits;
use cm_macros::{inlined, op};
use num_traits::ToPrimitive;

use crate::backend::{Backend, binary, convert, host_number, require};
use crate::cpu::Cpu;
use crate::elem::{Elem, ElemType, Int, bf16, f16, tf32};
use crate::ops;

/// A single number that a kernel computes with, for example a coordinate. CM: a scalar variable.
///
/// It is a [staged] value. Operators promote its type like those of [`Matrix`](super::Matrix); the other operand
/// may be a host number.
///
/// [staged]: ../../cm/guide/glossary/index.html#staged
///
/// ```
/// use cm::prelude::*;
/// let a: Scalar<u16> = 7u16.into();
/// assert_eq!((a * 24 + 1).value(), 169i32);
/// ```
#[must_use]
pub struct Scalar<T: Elem, B: Backend = Cpu> {
    reg: B::Reg<T, 1, 1>,
    /// rustc 1.95 compares the sizes of last fields when it reports a missing type. If such a field has the type of a backend
    /// and `T` is missing, rustc does not end.
    _last: (),
}

#[expect(clippy::non_canonical_clone_impl, reason = "a clone of a variable is its value now")]
impl<T: Elem, B: Backend> Clone for Scalar<T, B> {
    #[op]
    fn clone(&self) -> Self {
        Self::from_reg(B::load(&self.reg))
    }
}
impl<T: Elem, B: Backend> Copy for Scalar<T, B> {}

impl<T: Elem, B: Backend> Scalar<T, B> {
    /// Creates a scalar from a host number, on any backend.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Scalar::<u16>::constant(7).value(), 7);
    /// ```
    #[op]
    pub fn constant(x: T) -> Self {
        Self::from_reg(B::constant([[x]]))
    }

    /// Converts to `V`, as Rust's `as` does. CM: the conversion of an assignment.
    ///
    /// Integers wrap. Floats are truncated towards zero and clamped to the range of an integer type; NaN
    /// becomes 0.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Scalar::<i32>::constant(257).convert::<u8>().value(), 1);
    /// ```
    #[op]
    pub fn convert<V: Elem>(self) -> Scalar<V, B> {
        Scalar::from_reg(convert::<B, _, _, 1, 1>(self.reg))
    }

    /// Converts to `V` and clamps the result: integers to the range of `V`, floats to 0..=1. NaN becomes 0.
    /// CM: `SAT`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(Scalar::<i32>::constant(257).saturate::<u8>().value(), 255);
    /// ```
    #[op]
    pub fn saturate<V: Elem>(self) -> Scalar<V, B> {
        Scalar::from_reg(B::map1::<ops::Convert, T, T, V, true, 1, 1>(self.reg))
    }

    /// Assigns a number or a scalar, converted to `T`. CM: assignment.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let mut x = Scalar::<u8>::constant(0);
    /// x.assign(7.9f32);
    /// assert_eq!(x.value(), 7);
    /// ```
    #[op]
    pub fn assign<V: IntoScalar<B>>(&mut self, x: V) {
        B::store(&mut self.reg, x.into_converted::<T>().reg);
    }

    #[doc(hidden)]
    #[inlined]
    pub fn from_reg(reg: B::Reg<T, 1, 1>) -> Self {
        Self { reg, _last: () }
    }

    #[doc(hidden)]
    #[inlined]
    #[must_use]
    pub fn into_reg(self) -> B::Reg<T, 1, 1> {
        self.reg
    }

    #[inlined]
    pub(crate) fn reg(&self) -> &B::Reg<T, 1, 1> {
        &self.reg
    }

    #[inlined]
    pub(crate) fn reg_mut(&mut self) -> &mut B::Reg<T, 1, 1> {
        &mut self.reg
    }
}

impl<T: Int, B: Backend> Scalar<T, B> {
    /// As an unsigned number, at most `last`.
    #[op]
    pub(crate) fn limited_to(self, last: u32) -> Scalar<u32, B> {
        let last = Scalar::<u32, B>::constant(last);
        Scalar::from_reg(binary::<B, ops::Min, u32, 1, 1>(self.convert::<u32>().reg, last.reg))
    }
}

/// A single number: a host number or a scalar.
///
/// A host size (`usize`, `isize`) is treated as a CM `int` (`i32`). If it does not fit, the recording reports it.
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
    /// The scalar, converted like an assignment.
    #[doc(hidden)]
    #[track_caller]
    fn into_converted<T: Elem>(self) -> Scalar<T, B> {
        self.into_scalar().convert()
    }
}

/// A host number for an argument or a field with elements `T`.
#[op]
pub(crate) fn host_element<T: Elem, B: Backend, H: IntoScalar<B> + ToPrimitive>(number: H) -> Scalar<T, B> {
    if const { !T::FLOAT && !<H::Elem as Elem>::FLOAT }
        && let Some(integer) = number.to_i128()
    {
        require::<B>(limits::kept(integer, T::RANGE));
    }
    number.into_converted()
}

macro_rules! numbers {
    ($($element:ident)*) => {
        numbers! { $($element as $element),* }
    };
    (@number $number:expr) => { $number };
    (@number $number:expr, $checked:ident) => { $checked::<B, _>($number) };
    ($($t:ident as $elem:ident $(by $checked:ident)?),*) => {$(
        impl ScalarLike for $t {
            type Elem = $elem;
        }

        impl<B: Backend> IntoScalar<B> for $t {
            #[op]
            fn into_scalar(self) -> Scalar<$elem, B> {
                Scalar::constant(numbers!(@number self $(, $checked)?))
            }

            /// Literals such as `0.5` are `f64`, which some GPUs lack: the host converts them.
            #[op]
            fn into_converted<T: Elem>(self) -> Scalar<T, B> {
                if <$elem as Elem>::TYPE == ElemType::F64 {
                    return Scalar::constant(T::cast_from(numbers!(@number self $(, $checked)?)));
                }
                IntoScalar::<B>::into_scalar(self).convert()
            }
        }
    )*};
}

cm_compiler::for_each_element!(numbers);
crate::for_each_storage!(numbers);
numbers! { usize as i32 by host_number, isize as i32 by host_number }

impl<T: Elem, B: Backend> ScalarLike for Scalar<T, B> {
    type Elem = T;
}

impl<T: Elem, B: Backend> IntoScalar<B> for Scalar<T, B> {
    #[inlined]
    fn into_scalar(self) -> Self {
        self
    }
}
