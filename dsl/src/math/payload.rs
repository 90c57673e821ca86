//! Conversions from and to the bits of other float formats.

use cm_macros::op;

use super::register::{Register, composed, of_one};
use crate::backend::convert;
use crate::elem::{bf16, f16, tf32};
use crate::registers::Matrix;

/// The bits of the nearest `f16`. CM: `cm_f32tof16(x)`.
///
/// It is `.convert::<f16>()` with the result as `u16`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::f32tof16(Vector::from_array([1.0f32, -2.0])).to_array(), [0x3c00, 0xc000]);
/// ```
#[op]
pub fn f32tof16<A: Register<Elem = f32>>(x: A) -> A::With<u16> {
    of_one::<ToHalf, _>(x)
}

/// The numbers whose bits as `f16` these are. CM: `cm_f16tof32(x)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::f16tof32(Vector::from_array([0x3c00u16, 0xc000])).to_array(), [1.0, -2.0]);
/// ```
#[op]
pub fn f16tof32<A: Register<Elem = u16>>(x: A) -> A::With<f32> {
    of_one::<OfHalf, _>(x)
}

/// The bits of the nearest `bf16`: the upper half of an `f32`, rounded to even. CM: `cm_bf_cvt` from `float`.
///
/// It is `.convert::<bf16>()` with the result as `u16`. NaN stays NaN.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([1.0f32, 1.00390625, f32::MAX]);
/// assert_eq!(math::bf_cvt(x).to_array(), [0x3f80, 0x3f80, 0x7f80]);
/// ```
#[op]
pub fn bf_cvt<A: Register<Elem = f32>>(x: A) -> A::With<u16> {
    of_one::<ToBrain, _>(x)
}

/// The numbers whose bits as `bf16` these are, exact. CM: `cm_bf_cvt` to `float`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::bf_cvt_f32(Vector::from_array([0x3f80u16, 0xc000])).to_array(), [1.0, -2.0]);
/// ```
#[op]
pub fn bf_cvt_f32<A: Register<Elem = u16>>(x: A) -> A::With<f32> {
    of_one::<OfBrain, _>(x)
}

/// The bits of the nearest `tf32`, an `f32` whose low 13 bits are 0, rounded to even. CM: `cm_tf32_cvt(x)`.
///
/// It is `.convert::<tf32>()` with the result as `u32`. NaN stays NaN. `.format::<f32>()` converts the bits to
/// numbers.
///
/// ```
/// use cm::prelude::*;
/// let x = math::tf32_cvt(Vector::from_array([1.0f32, 1.0001, 1.0006]));
/// assert_eq!(x.format::<f32>().to_array(), [1.0, 1.0, 1.0009765625]);
/// ```
#[op]
pub fn tf32_cvt<A: Register<Elem = f32>>(x: A) -> A::With<u32> {
    of_one::<ToTensor, _>(x)
}

macro_rules! conversions {
    ($(bits $name:ident: $float:ident => $bits:ident;)*) => {$(
        struct $name;

        composed! {
            [] $name: |x: f32, _: f32, _: f32| -> $bits {
                let near = convert::<B, f32, $float, R, C>(x.into_reg());
                Matrix::from_reg(B::format::<$float, $bits, R, C, R, C>(&near))
            }
        }
    )*};
    ($(number $name:ident: $bits:ident => $float:ident;)*) => {$(
        struct $name;

        composed! {
            [] $name: |x: $bits, _: $bits, _: $bits| -> f32 {
                let near = B::format::<$bits, $float, R, C, R, C>(&x.into_reg());
                Matrix::from_reg(convert::<B, $float, f32, R, C>(near))
            }
        }
    )*};
}

conversions! {
    bits ToHalf: f16 => u16;
    bits ToBrain: bf16 => u16;
    bits ToTensor: tf32 => u32;
}

conversions! {
    number OfHalf: u16 => f16;
    number OfBrain: u16 => bf16;
}
