//! The meaning of each operator on one element. Everything wraps, nothing panics, and the CPU, the GPU and
//! every test agree on these lines.

use std::convert::identity;

use half::f16;

use super::sealed::Sealed;
use super::short;

/// The scalar operators that every element type has, on operands that were already promoted.
pub trait Arith: Sealed + Copy {
    /// `a + b`; integers wrap.
    fn add(a: Self, b: Self) -> Self;
    /// `a - b`; integers wrap.
    fn sub(a: Self, b: Self) -> Self;
    /// `a * b`; integers wrap.
    fn mul(a: Self, b: Self) -> Self;
    /// `a / b`, rounded towards zero. An integer divided by zero has all bits set; `MIN / -1` is `MIN`.
    fn div(a: Self, b: Self) -> Self;
    /// `-a`; integers wrap.
    fn neg(a: Self) -> Self;
    /// The size without the sign; integers wrap.
    fn abs(a: Self) -> Self;
    /// `a + b`, clamped to the range of an integer type; of floats to 0..=1, and NaN is 0.
    fn add_sat(a: Self, b: Self) -> Self;
    /// `a - b`, limited like `add_sat`.
    fn sub_sat(a: Self, b: Self) -> Self;
    /// The smaller one; `a` if they are equal. Of a NaN and a number the number.
    fn min(a: Self, b: Self) -> Self;
    /// The larger one; `a` if they are equal. Of a NaN and a number the number.
    fn max(a: Self, b: Self) -> Self;
}

/// The scalar operators of integers.
pub trait Bits: Arith {
    /// The remainder, with the sign of `a`. Modulo zero it is `a`; `MIN % -1` is 0.
    fn rem(a: Self, b: Self) -> Self;
    /// How far apart they are; of signed elements it wraps.
    fn distance(a: Self, b: Self) -> Self;
    /// Bitwise and.
    fn and(a: Self, b: Self) -> Self;
    /// Bitwise or.
    fn or(a: Self, b: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(a: Self, b: Self) -> Self;
    /// Bitwise complement.
    fn not(a: Self) -> Self;
    /// `a << b` by the low bits of `b` (5 of them, 6 for 64-bit elements).
    fn shl(a: Self, b: Self) -> Self;
    /// `a >> b` by the low bits of `b`; arithmetic for signed elements.
    fn shr(a: Self, b: Self) -> Self;
    /// `a` rotated to higher places by the low bits of `b`.
    fn rol(a: Self, b: Self) -> Self;
    /// `a` rotated to lower places by the low bits of `b`.
    fn ror(a: Self, b: Self) -> Self;
    /// `a << b` by the low bits of `b`, clamped to the range of the type.
    fn shl_sat(a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Arith for $t {
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self {
                a.wrapping_sub(b)
            }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self {
                a.wrapping_mul(b)
            }
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self {
                if b == 0 { !0 } else { a.wrapping_div(b) }
            }
            #[inline(always)]
            fn neg(a: Self) -> Self {
                a.wrapping_neg()
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned integers are their size")]
            fn abs(a: Self) -> Self {
                if a < 0 { a.wrapping_neg() } else { a }
            }
            #[inline(always)]
            fn add_sat(a: Self, b: Self) -> Self {
                a.saturating_add(b)
            }
            #[inline(always)]
            fn sub_sat(a: Self, b: Self) -> Self {
                a.saturating_sub(b)
            }
            #[inline(always)]
            fn min(a: Self, b: Self) -> Self {
                if b < a { b } else { a }
            }
            #[inline(always)]
            fn max(a: Self, b: Self) -> Self {
                if b > a { b } else { a }
            }
        }

        impl Bits for $t {
            #[inline(always)]
            fn rem(a: Self, b: Self) -> Self {
                if b == 0 { a } else { a.wrapping_rem(b) }
            }
            #[inline(always)]
            fn distance(a: Self, b: Self) -> Self {
                // Unsigned, so that nothing overflows before it wraps.
                a.abs_diff(b) as Self
            }
            #[inline(always)]
            fn and(a: Self, b: Self) -> Self {
                a & b
            }
            #[inline(always)]
            fn or(a: Self, b: Self) -> Self {
                a | b
            }
            #[inline(always)]
            fn xor(a: Self, b: Self) -> Self {
                a ^ b
            }
            #[inline(always)]
            fn not(a: Self) -> Self {
                !a
            }
            #[inline(always)]
            fn shl(a: Self, b: Self) -> Self {
                // `wrapping_shl` looks at the low bits only, which the cast keeps, negative counts included.
                a.wrapping_shl(b as u32)
            }
            #[inline(always)]
            fn shr(a: Self, b: Self) -> Self {
                a.wrapping_shr(b as u32)
            }
            #[inline(always)]
            fn rol(a: Self, b: Self) -> Self {
                // By the count modulo the bits.
                a.rotate_left(b as u32 & (Self::BITS - 1))
            }
            #[inline(always)]
            fn ror(a: Self, b: Self) -> Self {
                a.rotate_right(b as u32 & (Self::BITS - 1))
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned integers have no lower limit")]
            fn shl_sat(a: Self, b: Self) -> Self {
                let shifted = Self::shl(a, b);
                let limit = if a < 0 { Self::MIN } else { Self::MAX };
                if Self::shr(shifted, b) == a { shifted } else { limit }
            }
        }
    )*};
}

cm_compiler::for_each_integer!(integers);

/// `f16` computes in `f32`, which has more than twice the bits, so that rounding twice is rounding once.
macro_rules! floats {
    ($($t:ident: $no_sign:expr, $zero:expr, $one:expr, $wide:path, $near:path;)*) => {$(
        impl Arith for $t {
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self {
                $near($wide(a) + $wide(b))
            }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self {
                $near($wide(a) - $wide(b))
            }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self {
                $near($wide(a) * $wide(b))
            }
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self {
                $near($wide(a) / $wide(b))
            }
            #[inline(always)]
            fn neg(a: Self) -> Self {
                -a
            }
            #[inline(always)]
            fn abs(a: Self) -> Self {
                Self::from_bits(a.to_bits() & $no_sign)
            }
            #[inline(always)]
            fn add_sat(a: Self, b: Self) -> Self {
                let x = Self::add(a, b);
                // Written so that NaN and -0.0 give 0.
                if x > $zero { if x < $one { x } else { $one } } else { $zero }
            }
            #[inline(always)]
            fn sub_sat(a: Self, b: Self) -> Self {
                Self::add_sat(a, -b)
            }
            #[inline(always)]
            fn min(a: Self, b: Self) -> Self {
                if $wide(b) < $wide(a) || a.is_nan() { b } else { a }
            }
            #[inline(always)]
            fn max(a: Self, b: Self) -> Self {
                if $wide(b) > $wide(a) || a.is_nan() { b } else { a }
            }
        }
    )*};
}

floats! {
    f16: 0x7fff, Self::ZERO, Self::ONE, short::widened, short::rounded;
    f32: 0x7fff_ffff, 0.0, 1.0, identity, identity;
    f64: u64::MAX >> 1, 0.0, 1.0, identity, identity;
}
