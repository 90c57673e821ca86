//! One of the two dwords of each word of 8 bytes, such as the real parts of complex numbers. On AVX2 the compiler stores them by
//! halves of registers, and a processor cannot forward these to a load of the whole; AVX-512 has one instruction for them.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm256_castpd_si256, _mm256_castps_pd, _mm256_loadu_ps, _mm256_permute4x64_pd,
    _mm256_shuffle_ps, _mm256_storeu_si256,
};

use cm_macros::inlined;

use super::super::environment::{Avx2, Environment};
use crate::elem::Elem;

/// Dwords of a register.
const EACH: usize = size_of::<__m256i>() / 4;

/// Whether one element of `size` bytes of each word of `word` bytes is faster so.
pub(in crate::cpu) const fn suit<E: Environment>(word: usize, size: usize) -> bool {
    E::AVX2.is_some() && E::AVX512.is_none() && known(word, size)
}

/// Whether it is known here how to take such elements.
const fn known(word: usize, size: usize) -> bool {
    word == 8 && size == 4
}

/// Whether so many elements fill registers.
pub(in crate::cpu) const fn fill(count: usize) -> bool {
    count > 0 && count.is_multiple_of(EACH)
}

/// Element `part` of each word of `word` bytes from `words` on.
///
/// # Safety
/// There are as many words as `elements`, in memory of any alignment.
///
/// # Panics
/// If elements are not one of two dwords, or do not [`fill`] registers.
#[inlined]
pub(in crate::cpu) unsafe fn take<T: Elem>(
    words: *const u8,
    word: usize,
    part: usize,
    elements: &mut [T],
    _: Avx2,
) {
    assert!(known(word, size_of::<T>()) && part < 2 && fill(elements.len()), "dwords of pairs");
    let to = elements.as_mut_ptr();
    for first in (0..elements.len()).step_by(EACH) {
        // SAFETY: AVX2 is proven. Two registers are loaded for `EACH` words, all of which the caller has, and one is stored for as
        // many elements.
        unsafe {
            let from = words.add(first * word).cast::<f32>();
            let (low, high) = (_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(EACH)));
            // These put the halves of registers together, each for itself.
            let both = if part == 0 {
                _mm256_shuffle_ps::<0b10_00_10_00>(low, high)
            } else {
                _mm256_shuffle_ps::<0b11_01_11_01>(low, high)
            };
            let all = _mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(both));
            _mm256_storeu_si256(to.add(first).cast(), _mm256_castpd_si256(all));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dwords_are_those_of_their_pairs() {
        let Some(avx2) = Avx2::detect() else {
            println!("skipped: this CPU has no AVX2");
            return;
        };
        let dwords: Vec<u32> = (0..48_u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        let bytes: Vec<u8> = std::iter::once(0).chain(dwords.iter().flat_map(|x| x.to_ne_bytes())).collect();
        for count in [8, 16, 24] {
            for part in 0..2 {
                let mut found = vec![0_u32; count];
                // SAFETY: there are as many pairs, from byte 1 on.
                unsafe { take(bytes[1..].as_ptr(), 8, part, &mut found, avx2) };
                let expected: Vec<u32> = dwords.chunks(2).take(count).map(|pair| pair[part]).collect();
                assert_eq!(found, expected, "{count} pairs, dword {part}");
            }
        }
    }
}
