//! Conversions from `f16` to `f32` and back, in loops that the compiler vectorises. The conversions of the crate `half`
//! check the features of the CPU for each number.

use half::f16;

/// The same number.
#[inline(always)]
pub(crate) fn widened(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    // With the exponent of `f32`, which has another bias. Denormal numbers become normal numbers.
    let size = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    let all = if size >= 65536.0 { size.to_bits() | 0x7f80_0000 } else { size.to_bits() };
    f32::from_bits(all | (bits & 0x8000) << 16)
}

/// The nearest `f16`, ties to even.
#[inline(always)]
pub(crate) fn rounded(x: f32) -> f16 {
    let bits = x.to_bits();
    let size = bits & 0x7fff_ffff;
    let normal = size.wrapping_add((0xfff + (size >> 13 & 1)).wrapping_sub(112 << 23)) >> 13;
    // A sum whose last bit has the weight of that of denormal numbers.
    let least = f32::from_bits(size) + 0.5;
    let denormal = least.to_bits().wrapping_sub(0.5f32.to_bits());
    let number = if size < 113 << 23 { denormal } else { normal };
    // From halfway between the largest number and the next power of two on.
    let number = if size < 0x477f_f000 { number } else { 0x7c00 };
    let nan = 0x7e00 | size >> 13 & 0x3ff;
    let number = if size > 0x7f80_0000 { nan } else { number };
    f16::from_bits((number | bits >> 16 & 0x8000) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_as_a_single() {
        for x in (0..=u16::MAX).map(f16::from_bits) {
            let (found, exact) = (widened(x), x.to_f32());
            assert!(found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan(), "{x}: {found}");
            assert!(rounded(exact) == x || x.is_nan(), "{x} and back");
        }
    }

    #[test]
    fn singles_as_halves() {
        // All exponents, and fractions next to where rounding changes.
        let fractions = (0..1u32 << 13).map(|n| n << 10).flat_map(|n| [n, n + 1, n | 0x1ff, n | 0x3ff]);
        for bits in fractions.flat_map(|n| (0..512).map(move |high| high << 23 | n)) {
            let x = f32::from_bits(bits);
            let (found, exact) = (rounded(x), f16::from_f32(x));
            assert!(found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan(), "{x:e}: {found}");
        }
    }
}
