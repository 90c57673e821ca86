//! `tf32`: an `f32` with 10 fraction bits, as matrix engines use it.

use std::cmp::Ordering;
use std::fmt;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use num_traits::AsPrimitive;

/// A float of 19 significant bits in 32: the sign and the exponent of an `f32`, and 10 bits of its fraction.
///
/// It is an element type for storage, like [`bf16`]: it has no arithmetic. In CM it is a `uint`, the result of
/// `cm_tf32_cvt`. The low 13 bits are ignored: moves keep them, conversions and comparisons treat them as 0.
///
/// ```
/// use cm::prelude::*;
/// let x = tf32::from_f32(1.0006);
/// assert_eq!((x.to_f32(), x.to_bits()), (1.0009765625, 0x3f80_2000));
/// assert_eq!(f32::from(tf32::from_bits(0x3f80_1fff)), 1.0);
/// assert!(tf32::ONE < tf32::MAX && tf32::NAN.is_nan());
/// assert_eq!(format!("{} {:?}", tf32::ONE, tf32::ONE), "1 1.0");
/// ```
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
#[expect(non_camel_case_types, reason = "named like the primitive floats, as `bf16` is")]
pub struct tf32(u32);

/// The bits that an `f32` has and a `tf32` does not.
const LOW: u32 = (1 << tf32::CUT) - 1;

/// The bits of a float, rounded to even above the `cut` lowest bits, which have any value afterwards; NaN stays NaN.
/// Without branches, so that it vectorises.
#[inline(always)]
pub(super) const fn shortened(x: f32, cut: u32) -> u32 {
    let bits = x.to_bits();
    let near = bits.wrapping_add((1 << (cut - 1)) - 1 + (bits >> cut & 1));
    if x.is_nan() { bits | 0x0040_0000 } else { near }
}

impl tf32 {
    /// The number of extra bits of an `f32`.
    pub(super) const CUT: u32 = 13;

    /// 0.
    pub const ZERO: Self = Self(0);
    /// 1.
    pub const ONE: Self = Self(0x3f80_0000);
    /// The largest number.
    pub const MAX: Self = Self(0x7f7f_e000);
    /// The smallest number.
    pub const MIN: Self = Self(0xff7f_e000);
    /// The smallest positive normal number, 2^-126.
    pub const MIN_POSITIVE: Self = Self(0x0080_0000);
    /// The distance from 1 to the next number, 2^-10.
    pub const EPSILON: Self = Self(0x3a80_0000);
    /// Infinity.
    pub const INFINITY: Self = Self(0x7f80_0000);
    /// Minus infinity.
    pub const NEG_INFINITY: Self = Self(0xff80_0000);
    /// Not a number.
    pub const NAN: Self = Self(0x7fc0_0000);

    /// The number with these bits. The low 13 bits are ignored. The [type](Self) has an example.
    #[must_use]
    #[inline(always)]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits.
    #[must_use]
    #[inline(always)]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The nearest number, ties to even; NaN stays NaN. [`math::tf32_cvt`](crate::math::tf32_cvt) returns the same
    /// bits.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let (below, above) = (tf32::ONE, tf32::from_f32(1.0 + tf32::EPSILON.to_f32()));
    /// assert_eq!(tf32::from_f32(1.0004), below); // nearer to 1 than to 1.0009765625
    /// assert_eq!(tf32::from_f32(1.0006), above);
    /// assert!(tf32::from_f32(f32::NAN).is_nan());
    /// ```
    #[must_use]
    #[inline(always)]
    pub const fn from_f32(x: f32) -> Self {
        Self(shortened(x, Self::CUT) & !LOW)
    }

    /// The same number.
    #[must_use]
    #[inline(always)]
    pub const fn to_f32(self) -> f32 {
        f32::from_bits(self.0 & !LOW)
    }

    /// Whether it is NaN.
    #[must_use]
    pub const fn is_nan(self) -> bool {
        self.to_f32().is_nan()
    }

    /// Whether it is infinity or minus infinity.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert!(tf32::from_f32(f32::MAX).is_infinite() && tf32::MAX.is_finite()); // `f32::MAX` is rounded up
    /// ```
    #[must_use]
    pub const fn is_infinite(self) -> bool {
        self.to_f32().is_infinite()
    }

    /// Whether it is neither infinite nor NaN. [`is_infinite`](Self::is_infinite) has an example.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.to_f32().is_finite()
    }
}

/// Compares like `f32`: zeros of both signs are equal, and NaN equals nothing.
impl PartialEq for tf32 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for tf32 {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}

macro_rules! formats {
    ($($format:ident)*) => {$(
        impl fmt::$format for tf32 {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::$format::fmt(&self.to_f32(), f)
            }
        }
    )*};
}

formats!(Debug Display LowerExp UpperExp);

/// Conversions that are exact.
macro_rules! exact {
    ($($from:ident)* => tf32 => $($to:ident)*) => {
        $(
            impl From<$from> for tf32 {
                #[inline(always)]
                fn from(x: $from) -> Self {
                    Self::from_f32(x.into())
                }
            }
        )*
        $(
            impl From<tf32> for $to {
                #[inline(always)]
                fn from(x: tf32) -> Self {
                    x.to_f32().into()
                }
            }
        )*
    };
}

exact!(u8 i8 f16 bf16 => tf32 => f32 f64);

/// Conversions through `f32`, as conversions of registers require.
macro_rules! as_ {
    ($($t:ident)*) => {$(
        impl AsPrimitive<$t> for tf32 {
            #[inline(always)]
            fn as_(self) -> $t {
                self.to_f32().as_()
            }
        }
    )*};
}

cm_compiler::for_each_element!(as_);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_itself() {
        for bits in (0..=u32::MAX >> tf32::CUT).map(|high| high << tf32::CUT) {
            let x = tf32::from_bits(bits);
            assert_eq!(x.to_f32().to_bits(), bits);
            assert!(tf32::from_f32(x.to_f32()).to_bits() == bits || x.is_nan(), "{bits:#x}");
        }
    }

    #[test]
    fn conversions_are_to_the_nearest_number() {
        for bits in (0..=u32::MAX).step_by(10_007).chain([0x7f7f_efff, 0x7f7f_f000, 0x7f80_0001, 0xffff_ffff])
        {
            let x = f32::from_bits(bits);
            let found = tf32::from_f32(x);
            if x.is_nan() {
                assert!(found.is_nan(), "{bits:#x}");
                continue;
            }
            // Numbers of both sides, which `f64` holds exactly, infinity as the power that it stands for.
            let number = |bits: u32| match f32::from_bits(bits) {
                x if x.is_infinite() => 2f64.powi(128).copysign(x.into()),
                x => x.into(),
            };
            let (below, above) = (bits & !LOW, (bits & !LOW) + (LOW + 1));
            let distance = |to: u32| (number(to) - number(bits)).abs();
            let even = if below >> tf32::CUT & 1 == 0 { below } else { above };
            let nearest = match distance(below).total_cmp(&distance(above)) {
                _ if x.is_infinite() => bits,
                Ordering::Less => below,
                Ordering::Equal => even,
                Ordering::Greater => above,
            };
            assert_eq!(found.to_bits(), nearest, "{x:e}");
        }
    }

    #[test]
    fn low_bits_do_not_count() {
        let (one, more) = (tf32::ONE, tf32::from_bits(0x3f80_1fff));
        assert!(one == more && one >= more);
        assert_eq!(more.to_string(), "1");
        assert!(tf32::from_bits(0x7f80_0001).is_infinite());
    }
}
