//! One byte of each dword of a short row, such as a channel of a few texels. The compiler has no loop for so few, and puts
//! elements of several rows together instead, with more shuffles than elements.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cvtsi32_si128, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_packs_epi32,
    _mm_packus_epi16, _mm_set1_epi32, _mm_setzero_si128, _mm_srl_epi32, _mm_storel_epi64, _mm_storeu_si128,
};

use cm_macros::on_arrays;

use super::arrays::each;
use crate::elem::Elem;

/// Dwords of a register.
const EACH: usize = size_of::<__m128i>() / size_of::<u32>();

/// Whether `count` elements, each one of `words` bytes, are faster so.
pub(super) const fn suit(count: usize, words: usize, elements: usize) -> bool {
    words == size_of::<u32>() && elements == 1 && count.is_multiple_of(EACH) && count <= 4 * EACH
}

/// Byte `part` of each dword from `dwords` on.
///
/// # Safety
/// There are as many dwords as `elements`, in memory of any alignment.
///
/// # Panics
/// If elements are not single bytes, or as many as [`suit`] says.
#[on_arrays]
pub(super) unsafe fn take<T: Elem>(dwords: *const u8, part: usize, elements: &mut [T]) {
    assert!(suit(elements.len(), size_of::<u32>(), size_of::<T>()), "a few bytes");
    let (registers, to) = (elements.len() / EACH, elements.as_mut_ptr());
    // SAFETY: SSE2 is part of the architecture. Only registers of which the caller has all dwords are loaded, and a byte is
    // stored for each of these.
    unsafe {
        let shift = _mm_cvtsi32_si128(8 * part as i32);
        let mut bytes = [_mm_setzero_si128(); 4];
        each!(k < 4 => {
            if k < registers {
                let all = _mm_srl_epi32(_mm_loadu_si128(dwords.cast::<__m128i>().add(k)), shift);
                bytes[k] = _mm_and_si128(all, _mm_set1_epi32(0xff));
            }
        });
        let [a, b, c, d] = bytes;
        let all = _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        match registers {
            0 => {}
            1 => to.cast::<i32>().write_unaligned(_mm_cvtsi128_si32(all)),
            2 => _mm_storel_epi64(to.cast(), all),
            3 => {
                _mm_storel_epi64(to.cast(), all);
                let last = _mm_cvtsi128_si32(_mm_packus_epi16(_mm_packs_epi32(c, d), c));
                to.add(2 * EACH).cast::<i32>().write_unaligned(last);
            }
            _ => _mm_storeu_si128(to.cast(), all),
        }
    }
}
