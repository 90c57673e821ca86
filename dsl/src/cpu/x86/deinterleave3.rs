//! Every third element of rows, as the channels of packed RGB are: shuffles of registers.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    __m128i, _mm_blendv_epi8, _mm_loadu_si128, _mm_or_si128, _mm_setzero_si128, _mm_shuffle_epi8,
    _mm_storeu_si128,
};

use cm_macros::inlined;

use super::super::arrays::copy;
use super::super::environment::Avx2;
use crate::elem::Elem;

/// Bytes that a shuffle takes from, and gives.
const PIECE: usize = size_of::<__m128i>();

/// Where a byte of a piece comes from: one of a piece, or none, for which a shuffle gives 0.
type Table = [u8; PIECE];

// The highest bit: a shuffle gives 0 for it, and a blend keeps what is there.
const NONE: u8 = 0x80;

/// Whether `count` elements of `size` bytes fill a piece at least, and are of a size that is known here.
pub(in crate::cpu) const fn suit(count: usize, size: usize) -> bool {
    matches!(size, 1 | 2 | 4) && count * size >= PIECE
}

/// By the size of elements, and which of three it is.
type Tables = [[[Table; 3]; 3]; 3];

/// Bytes of three pieces that become one.
const TAKEN: Tables = tables(true);
/// Bytes of one piece that become three.
const PUT: Tables = tables(false);

const fn tables(taken: bool) -> Tables {
    let mut tables = [[[[NONE; PIECE]; 3]; 3]; 3];
    let mut log = 0;
    while log < 3 {
        let mut first = 0;
        while first < 3 {
            let mut byte = 0;
            while byte < PIECE {
                // Where this byte of the elements is among those of all three.
                let spread = (((byte >> log) * 3 + first) << log) | (byte & ((1 << log) - 1));
                let (piece, inside) = (spread / PIECE, spread % PIECE);
                if taken {
                    tables[log][first][piece][byte] = inside as u8;
                } else {
                    tables[log][first][piece][inside] = byte as u8;
                }
                byte += 1;
            }
            first += 1;
        }
        log += 1;
    }
    tables
}

/// Element `first` of each three of `threes`, which are bytes of any alignment.
///
/// # Panics
/// If there are not three for each element.
#[inlined]
pub(in crate::cpu) fn take<T: Elem>(threes: &[u8], first: usize, elements: &mut [T], _: Avx2) {
    let (size, count) = (size_of::<T>(), elements.len());
    assert!(threes.len() == 3 * size * count && first < 3, "three for each element");
    let tables = &TAKEN[size.ilog2() as usize][first];
    let pieces = count * size / PIECE;
    for piece in 0..pieces {
        // SAFETY: the instructions are part of AVX2, which the caller has proven; three pieces are in
        // `threes` for each whole one of the elements.
        unsafe {
            let from = threes.as_ptr().cast::<__m128i>().add(3 * piece);
            let mut all = _mm_setzero_si128();
            for k in 0..3 {
                let table = _mm_loadu_si128(tables[k].as_ptr().cast());
                all = _mm_or_si128(all, _mm_shuffle_epi8(_mm_loadu_si128(from.add(k)), table));
            }
            _mm_storeu_si128(elements.as_mut_ptr().cast::<__m128i>().add(piece), all);
        }
    }
    for k in pieces * PIECE / size..count {
        let at = (3 * k + first) * size;
        elements[k] = bytemuck::pod_read_unaligned(&threes[at..at + size]);
    }
}

/// Changes element `first` of each three of `threes`, which are bytes of any alignment.
///
/// # Panics
/// If there are not three for each element.
#[inlined]
pub(in crate::cpu) fn put<T: Elem>(threes: &mut [u8], first: usize, elements: &[T], _: Avx2) {
    let (size, count) = (size_of::<T>(), elements.len());
    assert!(threes.len() == 3 * size * count && first < 3, "three for each element");
    let tables = &PUT[size.ilog2() as usize][first];
    let pieces = count * size / PIECE;
    for piece in 0..pieces {
        // SAFETY: as in `take`.
        unsafe {
            let new = _mm_loadu_si128(elements.as_ptr().cast::<__m128i>().add(piece));
            let to = threes.as_mut_ptr().cast::<__m128i>().add(3 * piece);
            for k in 0..3 {
                let table = _mm_loadu_si128(tables[k].as_ptr().cast());
                // Where the table has none, what is there stays.
                let old = _mm_loadu_si128(to.add(k));
                _mm_storeu_si128(to.add(k), _mm_blendv_epi8(_mm_shuffle_epi8(new, table), old, table));
            }
        }
    }
    for k in pieces * PIECE / size..count {
        let at = (3 * k + first) * size;
        copy(bytemuck::bytes_of(&elements[k]), &mut threes[at..at + size]);
    }
}
