//! Floats of other formats as the bits that hold them.

use cm_macros::op;

use super::register::{Register, composed, of_one};
use crate::backend::{Backend, binary, convert, merge, number};
use crate::elem::f16;
use crate::ops::{Add, And, Gt, Or, Shl, Shr};
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

/// The numbers that are the bits of `f16`. CM: `cm_f16tof32(x)`.
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
/// On the host `half::bf16::to_bits` gives the same. A NaN stays one.
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

/// The numbers that are the bits of `bf16`, exact. CM: `cm_bf_cvt` to `float`.
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
/// A NaN stays one. `.format::<f32>()` makes a number of the bits.
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
    ($($function:ident: |$x:ident: $from:ident| -> $to:ident $body:expr;)*) => {$(
        struct $function;

        composed! {
            [] $function: |x: $from, _: $from, _: $from| -> $to {
                let $x = x.into_reg();
                Matrix::from_reg($body)
            }
        }
    )*};
}

conversions! {
    ToHalf: |x: f32| -> u16 B::format::<f16, u16, R, C, R, C>(&convert::<B, f32, f16, R, C>(x));
    OfHalf: |x: u16| -> f32 convert::<B, f16, f32, R, C>(B::format::<u16, f16, R, C, R, C>(&x));
    ToBrain: |x: f32| -> u16 {
        let rounded = rounded::<R, C, B>(B::format::<f32, u32, R, C, R, C>(&x), 16);
        convert::<B, u32, u16, R, C>(binary::<B, Shr, u32, R, C>(rounded, number::<B, u32, R, C>(16)))
    };
    OfBrain: |x: u16| -> f32 {
        let bits = binary::<B, Shl, u32, R, C>(convert::<B, u16, u32, R, C>(x), number::<B, u32, R, C>(16));
        B::format::<u32, f32, R, C, R, C>(&bits)
    };
    ToTensor: |x: f32| -> u32 {
        let rounded = rounded::<R, C, B>(B::format::<f32, u32, R, C, R, C>(&x), 13);
        binary::<B, And, u32, R, C>(rounded, number::<B, u32, R, C>(u32::MAX << 13))
    };
}

/// The bits of floats, rounded to even above the low `places`; a NaN made quiet instead.
#[op]
fn rounded<const R: usize, const C: usize, B: Backend>(
    bits: B::Reg<u32, R, C>,
    places: u32,
) -> B::Reg<u32, R, C> {
    let odd = binary::<B, Shr, u32, R, C>(bits, number::<B, u32, R, C>(places));
    let odd = binary::<B, And, u32, R, C>(odd, number::<B, u32, R, C>(1));
    let half = number::<B, u32, R, C>((1 << (places - 1)) - 1);
    let rounded = binary::<B, Add, u32, R, C>(binary::<B, Add, u32, R, C>(bits, half), odd);
    let size = binary::<B, And, u32, R, C>(bits, number::<B, u32, R, C>(u32::MAX >> 1));
    let nan = binary::<B, Gt, u32, R, C>(size, number::<B, u32, R, C>(0x7f80_0000));
    let quiet = binary::<B, Or, u32, R, C>(bits, number::<B, u32, R, C>(0x0040_0000));
    merge::<B, u16, u32, R, C>(nan, quiet, rounded)
}
