//! `x as T`: of host values as in Rust, of staged scalars by conversion.

use cm_macros::{inlined, op};
use num_traits::AsPrimitive;

use crate::backend::Backend;
use crate::elem::{Elem, f16, f16_from_f64};
use crate::registers::Scalar;

/// A value that can be converted with `as T` in a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cast by `as {T}`",
    label = "not a number",
    note = "`as` takes host numbers and staged scalars; registers change with `.convert::<T>()`, and a condition becomes a \
            number by `if c {{ 1 }} else {{ 0 }}`"
)]
pub trait CastTo<T, B: Backend> {
    /// Host numbers stay host numbers.
    type Output;
    /// The result.
    #[track_caller]
    fn cast(self) -> Self::Output;
}

/// `x as T`.
#[op]
pub fn cast<B: Backend, T, X: CastTo<T, B>>(x: X) -> X::Output {
    x.cast()
}

/// `x as usize` and `x as isize`, types that only host numbers have: the result's type does not depend on that of `x`,
/// which rustc may learn later.
#[op]
pub fn cast_host<B: Backend, T, X: CastTo<T, B, Output = T>>(x: X) -> T {
    x.cast()
}

macro_rules! hosts {
    ($($from:ident)*) => {$(
        cm_compiler::for_each_integer!(hosts @to $from;);
        hosts!(@to $from; usize isize f32 f64);
    )*};
    (@to $from:ident; $($to:ident)*) => {$(
        impl<B: Backend> CastTo<$to, B> for $from {
            type Output = $to;
            #[inlined]
            fn cast(self) -> $to {
                self as $to
            }
        }
    )*};
}

cm_compiler::for_each_integer!(hosts);
hosts! { usize isize f32 f64 }

macro_rules! halves {
    ($($t:ident, $into:expr;)*) => {$(
        impl<B: Backend> CastTo<f16, B> for $t {
            type Output = f16;
            #[inlined]
            fn cast(self) -> f16 {
                $into(self)
            }
        }
        impl<B: Backend> CastTo<$t, B> for f16 {
            type Output = $t;
            #[inlined]
            fn cast(self) -> $t {
                self.as_()
            }
        }
    )*};
}

// `as` does not support `f16`; from `f64` the trait `AsPrimitive` would round twice.
halves! {
    u8, u8::as_; i8, i8::as_; u16, u16::as_; i16, i16::as_; u32, u32::as_; i32, i32::as_; u64, u64::as_; i64, i64::as_;
    usize, usize::as_; isize, isize::as_; f32, f32::as_; f64, f16_from_f64;
}

macro_rules! truths {
    ($($t:ident)*) => {$(
        impl<B: Backend> CastTo<$t, B> for bool {
            type Output = $t;
            #[inlined]
            fn cast(self) -> $t {
                self as $t
            }
        }
    )*};
}

cm_compiler::for_each_integer!(truths);
truths! { usize isize }

#[doc(hidden)]
impl<T: Elem, V: Elem, B: Backend> CastTo<T, B> for Scalar<V, B> {
    type Output = Scalar<T, B>;
    #[op]
    fn cast(self) -> Scalar<T, B> {
        self.convert()
    }
}
