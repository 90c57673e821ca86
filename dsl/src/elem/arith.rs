//! The meaning of each operator on one element. Everything wraps, nothing panics, and the CPU, the GPU and
//! every test agree on these lines.

use half::f16;

use super::sealed::Sealed;

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
        }
    )*};
}

cm_compiler::for_each_integer!(integers);

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Arith for $t {
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self {
                a + b
            }
            #[inline(always)]
            fn sub(a: Self, b: Self) -> Self {
                a - b
            }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self {
                a * b
            }
            #[inline(always)]
            fn div(a: Self, b: Self) -> Self {
                a / b
            }
            #[inline(always)]
            fn neg(a: Self) -> Self {
                -a
            }
        }
    )*};
}

floats! { f16 f32 f64 }
