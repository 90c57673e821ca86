//! The lowest bits of words as the bits of one number, and back.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use cm_macros::inlined;

/// The words of a mask: a number has as many bits.
pub(super) const WORDS: usize = 32;

/// Bit `k` is the lowest one of word `k`.
#[inlined]
pub(super) fn packed(words: [u16; WORDS]) -> u32 {
    // As the sign, of which the processor takes 16 at once.
    let mut signs = [0; WORDS];
    for k in 0..WORDS {
        signs[k] = (words[k] << 15) as i16;
    }
    all_signs(signs)
}

/// Bit `k` is set where word `k` is negative.
#[cfg(target_arch = "x86_64")]
#[inlined]
fn all_signs(words: [i16; WORDS]) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_movemask_epi8, _mm_packs_epi16};

    let [a, b, c, d]: [__m128i; 4] = bytemuck::cast(words);
    // SAFETY: every x86-64 has SSE2.
    let (low, high) =
        unsafe { (_mm_movemask_epi8(_mm_packs_epi16(a, b)), _mm_movemask_epi8(_mm_packs_epi16(c, d))) };
    low as u32 | (high as u32) << 16
}

#[cfg(not(target_arch = "x86_64"))]
#[inlined]
fn all_signs(words: [i16; WORDS]) -> u32 {
    let mut bits = 0;
    for k in 0..WORDS {
        bits |= u32::from(words[k] < 0) << k;
    }
    bits
}

/// Word `k` is bit `k`.
#[inlined]
pub(super) fn unpacked(bits: u32) -> [u16; WORDS] {
    let mut words = [0; WORDS];
    for k in 0..WORDS {
        // A comparison: processors do not shift words by different counts.
        let (half, bit) = ((bits >> (k / 16 * 16)) as u16, 1 << (k % 16));
        words[k] = u16::from(half & bit == bit);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_its_bit() {
        for bits in (0..WORDS).map(|k| 1 << k).chain([0, u32::MAX, 0x8001_7ffe, 0x1234_5678]) {
            let words = unpacked(bits);
            assert!(words.iter().enumerate().all(|(k, word)| u32::from(*word) == bits >> k & 1), "{bits:#x}");
            assert_eq!(packed(words), bits);
            // The other bits do not count.
            assert_eq!(packed(words.map(|word| word | 0xfffe)), bits);
        }
    }
}
