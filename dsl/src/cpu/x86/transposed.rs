//! Matrices that are transposed, by interleaving their halves.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    __m128i, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32, _mm_unpackhi_epi64,
    _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
};

use cm_macros::inlined;

use super::super::arrays::{Lanes, copy, zeroed};
use crate::elem::Elem;

/// Whether a transposition of `rows` x `columns` elements of `size` bytes is interleaved.
#[inlined]
pub(in crate::cpu) const fn suit(rows: usize, columns: usize, size: usize) -> bool {
    rows > 1 && rows.is_power_of_two() && columns > 1 && (rows * columns * size).is_multiple_of(2 * BLOCK)
}

/// Bytes that an instruction interleaves.
const BLOCK: usize = 16;

/// The matrix of each thread, transposed. To interleave the halves of all elements moves the highest bit of their
/// numbers to the lowest place, so as many steps as the number of rows has bits swap rows and columns.
///
/// # Panics
/// If the shapes do not [suit].
#[inlined]
pub(in crate::cpu) fn transposed<
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
) -> Lanes<T, N, R2, C2> {
    assert!(R == C2 && C == R2 && suit(R, C, size_of::<T>()), "whole blocks");
    let mut all: Lanes<T, N, R2, C2> = zeroed();
    for n in 0..N {
        let (mut first, mut second): ([[T; C]; R], [[T; C]; R]) =
            ([[T::default(); C]; R], [[T::default(); C]; R]);
        for r in 0..R {
            copy(bytemuck::cast_slice(&x[r][n]), bytemuck::cast_slice_mut(&mut first[r]));
        }
        for _ in 0..R.trailing_zeros() {
            let (from, to) =
                (std::ptr::from_ref(&first).cast::<u8>(), std::ptr::from_mut(&mut second).cast::<u8>());
            let half = size_of::<[[T; C]; R]>() / 2;
            for block in 0..half / BLOCK {
                // SAFETY: half of the bytes are so many blocks, by the assertion, in both arrays of plain numbers; SSE2
                // is part of the architecture.
                unsafe {
                    let low = from.add(block * BLOCK).cast::<__m128i>().read_unaligned();
                    let high = from.add(half + block * BLOCK).cast::<__m128i>().read_unaligned();
                    let (even, odd) = interleaved(low, high, size_of::<T>());
                    let to = to.add(2 * block * BLOCK).cast::<__m128i>();
                    to.write_unaligned(even);
                    to.add(1).write_unaligned(odd);
                }
            }
            first = second;
        }
        for r in 0..R2 {
            let row = &first.as_flattened()[r * C2..(r + 1) * C2];
            copy(bytemuck::cast_slice(row), bytemuck::cast_slice_mut(&mut all[r][n]));
        }
    }
    all
}

/// The elements of two blocks in turn.
///
/// # Safety
/// The CPU has SSE2.
#[inlined]
unsafe fn interleaved(low: __m128i, high: __m128i, size: usize) -> (__m128i, __m128i) {
    // SAFETY: as the caller says.
    unsafe {
        match size {
            1 => (_mm_unpacklo_epi8(low, high), _mm_unpackhi_epi8(low, high)),
            2 => (_mm_unpacklo_epi16(low, high), _mm_unpackhi_epi16(low, high)),
            4 => (_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high)),
            _ => (_mm_unpacklo_epi64(low, high), _mm_unpackhi_epi64(low, high)),
        }
    }
}
