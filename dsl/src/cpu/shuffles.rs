//! Tables of few bytes, looked up by shuffles of registers.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_adds_epu8, _mm_or_si128, _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32,
    _mm_set1_epi64x, _mm_setzero_si128, _mm_shuffle_epi8, _mm_sub_epi8, _mm_unpacklo_epi8,
    _mm_unpacklo_epi16, _mm_unpacklo_epi32,
};
use std::mem::MaybeUninit;

use super::Avx2;
use super::lanes::{Lanes, copy, each, flat, map};
use crate::elem::Elem;

/// Bytes that a shuffle takes from, and gives.
const PIECE: usize = size_of::<__m128i>();

/// The most bytes of a table: each piece of it is one more shuffle.
pub(super) const MOST: usize = 4 * PIECE;

/// The elements of each thread's object that its indices name, of which those that are too large are the last.
///
/// # Panics
/// If an object has no elements, or more than `MOST` bytes.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pick<T: Elem, const N: usize, const R: usize, const C: usize, const M: usize>(
    x: &Lanes<T, N, R, C>,
    index: &[[u32; M]; N],
    proof: Avx2,
) -> [[T; M]; N] {
    let (size, row) = (size_of::<T>(), C * size_of::<T>());
    assert!(R * C > 0 && R * row <= MOST, "a table has elements, and few bytes");
    let [index] = limited::<N, 1, M>([*index], (R * C - 1) as u32);
    let mut picked = [[T::default(); M]; N];
    for n in 0..N {
        let mut table = [0; MOST];
        for r in 0..R {
            copy(bytemuck::cast_slice(&x[r][n]), &mut table[r * row..(r + 1) * row]);
        }
        let to: &mut [u8] = bytemuck::cast_slice_mut(&mut picked[n]);
        for group in 0..(M * size).div_ceil(PIECE) {
            let first = group * (PIECE / size);
            let count = (M - first).min(PIECE / size);
            let mut bytes = [0; PIECE];
            copy(&index[n][first..first + count], &mut bytes[..count]);
            let found = find(&table, R * row, bytes, size, proof);
            copy(&found[..count * size], &mut to[first * size..(first + count) * size]);
        }
    }
    picked
}

/// Indices as bytes, limited to `last`.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn limited<const N: usize, const R: usize, const C: usize>(
    index: Lanes<u32, N, R, C>,
    last: u32,
) -> Lanes<u8, N, R, C> {
    map!(u8; |i of index| i.min(last) as u8)
}

/// The elements of `size` bytes with the first indices, as many as are `PIECE` bytes, of a table that has its elements in the
/// first `len` bytes.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn find(table: &[u8; MOST], len: usize, index: [u8; PIECE], size: usize, _: Avx2) -> [u8; PIECE] {
    // SAFETY: these instructions are part of AVX2, which the caller has proven; pieces are parts of the table.
    unsafe {
        let at = bytes_of(std::mem::transmute::<[u8; PIECE], __m128i>(index), size);
        let piece = |k: usize| table[k * PIECE..][..PIECE].as_ptr().cast::<__m128i>().read_unaligned();
        if len <= PIECE {
            return std::mem::transmute::<__m128i, [u8; PIECE]>(_mm_shuffle_epi8(piece(0), at));
        }
        let mut found = _mm_setzero_si128();
        each!(k < (MOST / PIECE) => {
            if k * PIECE < len {
                // What is in another piece gets its highest bit, for which a shuffle gives 0.
                let inside = _mm_sub_epi8(at, _mm_set1_epi8((k * PIECE) as i8));
                let inside = _mm_adds_epu8(inside, _mm_set1_epi8(0x70));
                found = _mm_or_si128(found, _mm_shuffle_epi8(piece(k), inside));
            }
        });
        std::mem::transmute::<__m128i, [u8; PIECE]>(found)
    }
}

/// Where the bytes of elements of `size` bytes are whose indices are the first bytes.
///
/// # Safety
/// The CPU has AVX2.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn bytes_of(index: __m128i, size: usize) -> __m128i {
    // SAFETY: as the caller says.
    unsafe {
        let twice = |x: __m128i| _mm_add_epi8(x, x);
        let by_2 = _mm_unpacklo_epi8(index, index);
        let by_4 = _mm_unpacklo_epi16(by_2, by_2);
        match size {
            1 => index,
            2 => _mm_add_epi8(twice(by_2), _mm_set1_epi16(0x0100)),
            4 => _mm_add_epi8(twice(twice(by_4)), _mm_set1_epi32(0x0302_0100)),
            _ => {
                let by_8 = _mm_unpacklo_epi32(by_4, by_4);
                _mm_add_epi8(twice(twice(twice(by_8))), _mm_set1_epi64x(0x0706_0504_0302_0100))
            }
        }
    }
}
