//! One byte of each word or dword of a short row, such as a channel of a few texels. The compiler has no loop
//! for so few, and puts elements of several rows together instead, with more shuffles than elements.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_packs_epi32, _mm_packus_epi16,
    _mm_set1_epi16, _mm_set1_epi32, _mm_setzero_si128, _mm_srl_epi16, _mm_srl_epi32, _mm_storel_epi64,
    _mm_storeu_si128, _mm256_and_si256, _mm256_loadu_si256, _mm256_packs_epi32, _mm256_packus_epi16,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setr_epi32, _mm256_setzero_si256, _mm256_srl_epi16, _mm256_srl_epi32, _mm256_storeu_si256,
};

use cm_macros::inlined;

use super::super::arrays::each;
use super::super::environment::Avx2;
use crate::elem::Elem;

/// Bytes of a register.
const REGISTER: usize = size_of::<__m128i>();

/// Whether `count` elements of `size` bytes, each one of `word` bytes, are faster so.
pub(in crate::cpu) const fn suit(count: usize, word: usize, size: usize) -> bool {
    matches!(word, 2 | 4) && size == 1 && matches!(count, 8 | 16)
}

/// Byte `part` of each word of `word` bytes from `words` on.
///
/// # Safety
/// There are as many words as `elements`, in memory of any alignment.
///
/// # Panics
/// If elements are not single bytes, or as many as [`suit`] says.
#[inlined]
pub(in crate::cpu) unsafe fn take<T: Elem>(words: *const u8, word: usize, part: usize, elements: &mut [T]) {
    assert!(suit(elements.len(), word, size_of::<T>()), "a few bytes");
    let (registers, to) = (elements.len() * word / REGISTER, elements.as_mut_ptr());
    // SAFETY: SSE2 is part of the architecture. Only registers of which the caller has all words are loaded,
    // and a byte is stored for each of these.
    unsafe {
        let shift = _mm_cvtsi32_si128(8 * part as i32);
        let mut bytes = [_mm_setzero_si128(); 4];
        each!(k < 4 => {
            if k < registers {
                let all = _mm_loadu_si128(words.cast::<__m128i>().add(k));
                bytes[k] = if word == 2 {
                    _mm_and_si128(_mm_srl_epi16(all, shift), _mm_set1_epi16(0xff))
                } else {
                    _mm_and_si128(_mm_srl_epi32(all, shift), _mm_set1_epi32(0xff))
                };
            }
        });
        let [a, b, c, d] = bytes;
        let all = if word == 2 {
            _mm_packus_epi16(a, b)
        } else {
            _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d))
        };
        if elements.len() == 8 {
            _mm_storel_epi64(to.cast(), all);
        } else {
            _mm_storeu_si128(to.cast(), all);
        }
    }
}

/// Elements that [`take_wide`] takes at once.
const WIDE: usize = size_of::<__m256i>();

/// Whether `count` elements of `size` bytes, each one of `word` bytes, fill vectors of AVX2. The compiler stores them by halves,
/// and a processor cannot forward these to a load of the whole.
pub(in crate::cpu) const fn suit_wide(count: usize, word: usize, size: usize) -> bool {
    matches!(word, 2 | 4) && size == 1 && count > 0 && count.is_multiple_of(WIDE)
}

/// The same as [`take`].
///
/// # Safety
/// As for [`take`].
///
/// # Panics
/// If elements are not single bytes, or as many as [`suit_wide`] says.
#[inlined]
pub(in crate::cpu) unsafe fn take_wide<T: Elem>(
    words: *const u8,
    word: usize,
    part: usize,
    elements: &mut [T],
    _: Avx2,
) {
    assert!(suit_wide(elements.len(), word, size_of::<T>()), "vectors of bytes");
    let to = elements.as_mut_ptr();
    for first in (0..elements.len()).step_by(WIDE) {
        // SAFETY: AVX2 is proven. Only registers of which the caller has all words are loaded, and a byte is stored for each of
        // these.
        unsafe {
            let shift = _mm_cvtsi32_si128(8 * part as i32);
            let (from, to) = (words.add(first * word).cast::<__m256i>(), to.add(first).cast::<__m256i>());
            let mut bytes = [_mm256_setzero_si256(); 4];
            each!(k < 4 => {
                if k < word {
                    let all = _mm256_loadu_si256(from.add(k));
                    bytes[k] = if word == 2 {
                        _mm256_and_si256(_mm256_srl_epi16(all, shift), _mm256_set1_epi16(0xff))
                    } else {
                        _mm256_and_si256(_mm256_srl_epi32(all, shift), _mm256_set1_epi32(0xff))
                    };
                }
            });
            // These put the halves of registers together, each for itself.
            let [a, b, c, d] = bytes;
            let all = if word == 2 {
                _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(a, b))
            } else {
                let all = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
                _mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
            };
            _mm256_storeu_si256(to, all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_long_rows_are_those_of_their_words() {
        let Some(avx2) = Avx2::detect() else {
            println!("skipped: this CPU has no AVX2");
            return;
        };
        let bytes: Vec<u8> = (0..257_u16).map(|n| (n * 7 + 1) as u8).collect();
        for (count, word) in [(32, 2), (64, 2), (32, 4), (64, 4)] {
            for part in 0..word {
                let words = &bytes[1..=count * word];
                let mut found = vec![0_i8; count];
                // SAFETY: there are as many words.
                unsafe { take_wide(words.as_ptr(), word, part, &mut found, avx2) };
                let expected: Vec<i8> = words.chunks(word).map(|word| word[part] as i8).collect();
                assert_eq!(found, expected, "{count} words of {word} bytes, byte {part}");
            }
        }
    }

    #[test]
    fn bytes_are_those_of_their_words() {
        let bytes: Vec<u8> = (0..65).map(|n| n * 3 + 1).collect();
        for (count, word) in [(8, 2), (16, 2), (8, 4), (16, 4)] {
            for part in 0..word {
                let words = &bytes[1..=count * word];
                let mut found = vec![0_i8; count];
                // SAFETY: there are as many words.
                unsafe { take(words.as_ptr(), word, part, &mut found) };
                let expected: Vec<i8> = words.chunks(word).map(|word| word[part] as i8).collect();
                assert_eq!(found, expected, "{count} words of {word} bytes, byte {part}");
            }
        }
    }
}
