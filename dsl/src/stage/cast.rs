//! `x as T`: of host values as in Rust, of staged scalars by conversion.

use cm_macros::{inlined, op};
use num_traits::AsPrimitive;

use crate::backend::Backend;
use crate::elem::{Elem, f16, f16_from_f64};
use crate::registers::Scalar;

/// A value that can be converted with `as T` in a kernel.
#[diagnostic::on_unimplemented(
    message = "`as {T}` takes a number, and this is none",
    label = "a register, a condition or another value",
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

/// A host value that can be converted with `as T`.
#[diagnostic::on_unimplemented(
    message = "`as {T}` takes a host number, not `{Self}`",
    label = "known only when the kernel runs",
    note = "offsets, indices and bounds of loops take staged numbers as they are: leave the cast out, or write `as u32`",
    note = "registers change with `.convert::<T>()`; sizes, which are written in `::<..>`, are host numbers"
)]
pub trait HostCast<T> {
    /// The result.
    fn cast_host(self) -> T;
}

/// `x as usize` and `x as isize`, types that only host numbers have: the result's type does not depend on that of `x`,
/// which rustc may learn later.
#[op]
pub fn cast_host<B: Backend, T, X: HostCast<T>>(x: X) -> T {
    x.cast_host()
}

/// `x as $to` of a host value of type `$from`.
macro_rules! of_host {
    ($from:ident as $to:ident: $x:ident => $cast:expr) => {
        impl HostCast<$to> for $from {
            #[inlined]
            fn cast_host(self) -> $to {
                let $x = self;
                $cast
            }
        }
        impl<B: Backend> CastTo<$to, B> for $from {
            type Output = $to;
            #[inlined]
            fn cast(self) -> $to {
                self.cast_host()
            }
        }
    };
}

macro_rules! hosts {
    ($($from:ident)*) => {$(
        cm_compiler::for_each_integer!(hosts @to $from;);
        hosts!(@to $from; usize isize f32 f64);
    )*};
    (@to $from:ident; $($to:ident)*) => {$(
        of_host!($from as $to: x => x as $to);
    )*};
}

cm_compiler::for_each_integer!(hosts);
hosts! { usize isize f32 f64 }

macro_rules! halves {
    ($($t:ident, $into:expr;)*) => {$(
        of_host!($t as f16: x => $into(x));
        of_host!(f16 as $t: x => x.as_());
    )*};
}

// `as` does not support `f16`; from `f64` the trait `AsPrimitive` would round twice.
halves! {
    u8, u8::as_; i8, i8::as_; u16, u16::as_; i16, i16::as_; u32, u32::as_; i32, i32::as_; u64, u64::as_; i64, i64::as_;
    usize, usize::as_; isize, isize::as_; f32, f32::as_; f64, f16_from_f64;
}

macro_rules! truths {
    ($($t:ident)*) => {$(
        of_host!(bool as $t: x => x as $t);
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
