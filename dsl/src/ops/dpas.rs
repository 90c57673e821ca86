//! The factors of matrix products as types: the precision for backends, and the number at each place of a dword.

pub use cm_compiler::ops::Precision;

use cm_macros::inlined;

use crate::elem::{Arith, Convert as _, Elem, bf16, f16, tf32};

/// A factor type of the matrix engine.
pub trait Factor: Copy + 'static {
    /// The precision.
    const PRECISION: Precision;
    /// The elements of the sums.
    type Sum: Elem + Arith;
    /// The factor at a place of a dword.
    fn of(dword: u32, place: usize) -> Self::Sum;
}

/// Row factors that can be multiplied by these column factors: integers of the same size, or floats of
/// the same format.
#[diagnostic::on_unimplemented(
    message = "`dpas` does not multiply `{B}` by `{Self}`",
    label = "not a factor of `{B}`",
    note = "both matrices hold bytes (`u8`, `i8`), 4-bit integers, `f16`, `bf16` or `tf32`"
)]
pub trait GoesWith<B: Factor>: Factor<Sum = B::Sum> {}

/// An unsigned integer of 4 bits in [`math::dpas_4bit`](crate::math::dpas_4bit). CM: `CM_PRECISION_U4`.
#[derive(Clone, Copy, Debug)]
pub struct U4;

/// A signed integer of 4 bits in [`math::dpas_4bit`](crate::math::dpas_4bit). CM: `CM_PRECISION_S4`.
#[derive(Clone, Copy, Debug)]
pub struct S4;

macro_rules! factors {
    ($($factor:ident $precision:ident $sum:ty: |$dword:ident, $place:ident| $value:expr, $($with:ident)*;)*) => {$(
        impl Factor for $factor {
            const PRECISION: Precision = Precision::$precision;
            type Sum = $sum;
            #[inlined]
            fn of($dword: u32, $place: usize) -> $sum {
                $value
            }
        }

        $(impl GoesWith<$with> for $factor {})*
    )*};
}

factors! {
    U4 U4 i32: |dword, place| ((dword << (28 - 4 * place)) >> 28) as i32, U4 S4;
    S4 S4 i32: |dword, place| (dword << (28 - 4 * place)) as i32 >> 28, U4 S4;
    u8 U8 i32: |dword, place| i32::from((dword >> (8 * place)) as u8), u8 i8;
    i8 S8 i32: |dword, place| i32::from((dword >> (8 * place)) as i8), u8 i8;
    bf16 Bf f32: |dword, place| f32::from_bits(dword >> (16 * place) << 16), bf16;
    f16 Hf f32: |dword, place| f32::cast_from(f16::from_bits((dword >> (16 * place)) as u16)), f16;
    tf32 Tf32 f32: |dword, _place| f32::from(tf32::from_bits(dword)), tf32;
}
