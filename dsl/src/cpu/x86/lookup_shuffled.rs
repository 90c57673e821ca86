//! Tables of up to 64 bytes, of bytes up to 256, looked up by shuffles of registers.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_set1_epi64x, _mm_srli_si128,
    _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32, _mm256_adds_epu8, _mm256_broadcastsi128_si256,
    _mm256_or_si256, _mm256_set_m128i, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_sub_epi8,
};
use std::mem::MaybeUninit;

use cm_macros::inlined;

use super::super::arrays::{Lanes, copy, each, flat, map};
use super::super::environment::Avx2;
use crate::elem::Elem;

/// Bytes of a table that a shuffle takes from.
const PIECE: usize = size_of::<__m128i>();

/// Bytes that a shuffle gives.
const GIVEN: usize = size_of::<__m256i>();

/// The most bytes of a table: as many as indices of one byte tell apart.
const MOST: usize = 256;

/// Whether a table of this many bytes is looked up faster so, in elements of `size` bytes: each piece of it
/// is one more shuffle, and wide elements take more of them.
#[inlined]
pub(in crate::cpu) const fn suit(bytes: usize, size: usize) -> bool {
    bytes <= if size == 1 { MOST } else { 4 * PIECE }
}

/// The elements of each thread's object that its indices name, of which those that are too large are the
/// last.
///
/// # Panics
/// If an object has no elements, or more than 256 bytes.
#[inlined]
pub(in crate::cpu) fn pick<T: Elem, const N: usize, const R: usize, const C: usize, const M: usize>(
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
        for group in 0..(M * size).div_ceil(GIVEN) {
            let first = group * (GIVEN / size);
            let count = (M - first).min(GIVEN / size);
            let mut bytes = [0; GIVEN];
            copy(&index[n][first..first + count], &mut bytes[..count]);
            let found = find(&table, R * row, bytes, size, proof);
            copy(&found[..count * size], &mut to[first * size..(first + count) * size]);
        }
    }
    picked
}

/// Indices as bytes, limited to `last`.
#[inlined]
fn limited<const N: usize, const R: usize, const C: usize>(
    index: Lanes<u32, N, R, C>,
    last: u32,
) -> Lanes<u8, N, R, C> {
    map!(u8; |i of index| i.min(last) as u8)
}

/// The elements of `size` bytes with the first indices, as many as are `GIVEN` bytes, of a table that has its
/// elements in the first `len` bytes.
#[inlined]
fn find(table: &[u8; MOST], len: usize, index: [u8; GIVEN], size: usize, _: Avx2) -> [u8; GIVEN] {
    // SAFETY: these instructions are part of AVX2, which the caller has proven; 16 bytes each are loaded from
    // either half of `index` and slices of the table of that length; a vector of 32 bytes is that many bytes.
    unsafe {
        let halves = index.as_ptr().cast::<__m128i>();
        let low = halves.read_unaligned();
        // The second half of the indices. Loaded from among them it would come from two stores, which also
        // hides indices that the compiler knows.
        let high = match size {
            1 => halves.add(1).read_unaligned(),
            2 => _mm_srli_si128::<8>(low),
            4 => _mm_srli_si128::<4>(low),
            _ => _mm_srli_si128::<2>(low),
        };
        let at = _mm256_set_m128i(bytes_of(high, size), bytes_of(low, size));
        let piece = |k: usize| {
            let piece = table[k * PIECE..][..PIECE].as_ptr().cast::<__m128i>().read_unaligned();
            _mm256_broadcastsi128_si256(piece)
        };
        // In a table of one piece all indices are inside of it.
        let mut found = _mm256_shuffle_epi8(piece(0), if len <= PIECE { at } else { inside(at, 0) });
        for k in 1..len.div_ceil(PIECE) {
            found = _mm256_or_si256(found, _mm256_shuffle_epi8(piece(k), inside(at, k)));
        }
        std::mem::transmute::<__m256i, [u8; GIVEN]>(found)
    }
}

/// Where bytes are in piece `k` of a table; those in other pieces with the highest bit set, for which a
/// shuffle gives 0.
///
/// # Safety
/// The CPU has AVX2.
#[inlined]
unsafe fn inside(at: __m256i, k: usize) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        let at = _mm256_sub_epi8(at, _mm256_set1_epi8((k * PIECE) as i8));
        // 0 to 15 become 0x70 to 0x7f, whose low four bits a shuffle takes; others get the highest bit.
        _mm256_adds_epu8(at, _mm256_set1_epi8(0x70))
    }
}

/// Where the bytes of elements of `size` bytes are whose indices are the first bytes.
///
/// # Safety
/// The CPU has AVX2.
#[inlined]
unsafe fn bytes_of(index: __m128i, size: usize) -> __m128i {
    // SAFETY: as the caller says.
    unsafe {
        let twice = |x: __m128i| _mm_add_epi8(x, x);
        let by_2 = _mm_unpacklo_epi8(index, index);
        let by_4 = _mm_unpacklo_epi16(by_2, by_2);
        match size {
            1 => index,
            // The index times the size, and the number of the byte in its element.
            2 => _mm_add_epi8(twice(by_2), _mm_set1_epi16(0x0100)),
            4 => _mm_add_epi8(twice(twice(by_4)), _mm_set1_epi32(0x0302_0100)),
            _ => {
                let by_8 = _mm_unpacklo_epi32(by_4, by_4);
                _mm_add_epi8(twice(twice(twice(by_8))), _mm_set1_epi64x(0x0706_0504_0302_0100))
            }
        }
    }
}
