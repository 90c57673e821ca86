//! Neighbouring columns of a vector that begin anywhere, such as the windows of a filter. They are shifted out of the blocks
//! that the vector was stored in: a processor cannot forward two stores to one load, and would wait until both have
//! reached the cache.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_cvtsi32_si128, _mm_loadl_epi64, _mm_loadu_si128, _mm_or_si128,
    _mm_set1_epi8, _mm_setr_epi8, _mm_setzero_si128, _mm_shuffle_epi8, _mm_storeu_si128, _mm_unpacklo_epi64,
    _mm256_broadcastsi128_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_set_m128i,
    _mm256_shuffle_epi8, _mm256_storeu_si256,
};
use std::mem::MaybeUninit;

use cm_macros::inlined;

use super::super::arrays::{Lanes, each, flat};
use super::super::environment::Avx2;
use crate::elem::Elem;

/// Bytes of the largest vectors, of all threads, that the compiler keeps in registers.
const KEPT: usize = 512;

/// Whether `columns` of vectors of `all` elements of `size` bytes, of `threads` side by side, are taken so.
pub(in crate::cpu) const fn suit(threads: usize, all: usize, columns: usize, size: usize) -> bool {
    let bytes = threads * all * size;
    columns < all && (columns * size).is_multiple_of(16) && bytes.is_multiple_of(4) && bytes <= KEPT
}

/// `C2` columns of each thread from `column` on.
///
/// # Panics
/// If there are fewer, or these are none that [`suit`].
#[inlined]
pub(in crate::cpu) fn neighbours<
    T: Elem,
    const N: usize,
    const R: usize,
    const C: usize,
    const R2: usize,
    const C2: usize,
>(
    x: &Lanes<T, N, R, C>,
    column: usize,
    _: Avx2,
) -> Lanes<T, N, R2, C2> {
    assert!(R == 1 && R2 == 1 && column + C2 <= C, "a region lies inside of its object");
    let (size, width) = const { (N * C * size_of::<T>(), C2 * size_of::<T>()) };
    let mut lanes = MaybeUninit::<Lanes<T, N, R2, C2>>::uninit();
    let (from, to) = (flat(x).as_ptr().cast::<u8>(), lanes.as_mut_ptr().cast::<u8>());
    each!(n < N => {
        let first = (n * C + column) * size_of::<T>();
        // SAFETY: AVX2 is proven. `width` bytes from `first` on are inside of the vector by the assertion, and the result has
        // as many for each thread.
        unsafe {
            for block in 0..const { C2 * size_of::<T>() / 32 } {
                let shifted = window32(from, size, first + block * 32);
                _mm256_storeu_si256(to.add(n * width + block * 32).cast(), shifted);
            }
            if const { C2 * size_of::<T>() % 32 == 16 } {
                let shifted = window16(from, size, first + width - 16);
                _mm_storeu_si128(to.add((n + 1) * width - 16).cast(), shifted);
            }
        }
    });
    // SAFETY: every row has been written.
    unsafe { lanes.assume_init() }
}

/// 16 bytes from byte `at` on of `size` bytes that were stored in blocks from their start on.
///
/// # Safety
/// They are there. The CPU has SSSE3.
#[inlined]
unsafe fn window16(from: *const u8, size: usize, at: usize) -> __m128i {
    // SAFETY: as the caller says.
    unsafe {
        let (low, high) = (block(from, size, at / 16 * 16), block(from, size, at / 16 * 16 + 16));
        let [of_low, of_high] = places(at % 16);
        _mm_or_si128(_mm_shuffle_epi8(low, of_low), _mm_shuffle_epi8(high, of_high))
    }
}

/// The same of 32 bytes, with AVX2.
///
/// # Safety
/// As for [`window16`].
#[inlined]
unsafe fn window32(from: *const u8, size: usize, at: usize) -> __m256i {
    let first = at / 32 * 32;
    // SAFETY: as the caller says.
    unsafe {
        let (low, high) = (block32(from, size, first), block32(from, size, first + 32));
        let middle = _mm256_permute2x128_si256::<0x21>(low, high);
        let (low, high) = if at % 32 < 16 { (low, middle) } else { (middle, high) };
        let [of_low, of_high] = places(at % 16);
        _mm256_or_si256(
            _mm256_shuffle_epi8(low, _mm256_broadcastsi128_si256(of_low)),
            _mm256_shuffle_epi8(high, _mm256_broadcastsi128_si256(of_high)),
        )
    }
}

/// Where the bytes from byte `shift` on are in two blocks of 16: in the first one or nowhere, and in the second one or
/// nowhere.
#[inlined]
fn places(shift: usize) -> [__m128i; 2] {
    // SAFETY: SSE2 is part of the architecture.
    unsafe {
        let all = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let all = _mm_add_epi8(all, _mm_set1_epi8(shift as i8));
        // The highest bit says nowhere, and the lowest four where.
        [_mm_add_epi8(all, _mm_set1_epi8(0x70)), _mm_add_epi8(all, _mm_set1_epi8(-16))]
    }
}

/// 32 bytes from byte `at` on, or those before `size`, and then zeros.
///
/// # Safety
/// `size` bytes are there. The CPU has AVX2.
#[inlined]
unsafe fn block32(from: *const u8, size: usize, at: usize) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        if at + 32 <= size {
            return from.add(at).cast::<__m256i>().read_unaligned();
        }
        _mm256_set_m128i(block(from, size, at + 16), block(from, size, at))
    }
}

/// The same of 16 bytes. The size is a multiple of 4.
///
/// # Safety
/// `size` bytes are there.
#[inlined]
unsafe fn block(from: *const u8, size: usize, at: usize) -> __m128i {
    // SAFETY: SSE2 is part of the architecture. Only what is before `size` is loaded.
    unsafe {
        let word = |at: usize| _mm_cvtsi32_si128(from.add(at).cast::<i32>().read_unaligned());
        match size.saturating_sub(at) {
            0 => _mm_setzero_si128(),
            16.. => _mm_loadu_si128(from.add(at).cast()),
            12.. => _mm_unpacklo_epi64(_mm_loadl_epi64(from.add(at).cast()), word(at + 8)),
            8.. => _mm_loadl_epi64(from.add(at).cast()),
            _ => word(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::arrays::flat_mut;
    use super::*;

    /// All windows of so many columns are those of single elements.
    fn windows<T: Elem, const N: usize, const C: usize, const C2: usize>(avx2: Avx2) {
        assert!(suit(N, C, C2, size_of::<T>()), "{N} vectors of {C} elements of {} bytes", size_of::<T>());
        let mut x = [[[T::default(); C]; N]; 1];
        for (k, x) in flat_mut(&mut x).iter_mut().enumerate() {
            *x = T::cast_from(k as u8);
        }
        for column in 0..=C - C2 {
            let [found] = neighbours::<T, N, 1, C, 1, C2>(&x, column, avx2);
            for (n, found) in found.iter().enumerate() {
                let expected = &x[0][n][column..column + C2];
                assert_eq!(found, expected, "{C2} of {C} from {column}, vector {n} of {N}");
            }
        }
    }

    #[test]
    fn windows_are_those_of_single_elements() {
        let Some(avx2) = Avx2::detect() else {
            println!("skipped: this CPU has no AVX2");
            return;
        };
        windows::<u32, 2, 20, 16>(avx2);
        windows::<u32, 1, 36, 32>(avx2);
        windows::<f32, 2, 12, 8>(avx2);
        windows::<f32, 1, 9, 4>(avx2);
        windows::<u16, 2, 20, 16>(avx2);
        windows::<u16, 2, 18, 16>(avx2);
        windows::<i16, 1, 34, 8>(avx2);
        windows::<u8, 2, 20, 16>(avx2);
        windows::<i8, 1, 76, 32>(avx2);
        windows::<u8, 2, 54, 48>(avx2);
        windows::<f64, 2, 7, 4>(avx2);
    }

    #[test]
    fn other_windows_do_not_suit() {
        // All columns, short ones, vectors whose end is inside of 4 bytes, and large ones.
        assert!(!suit(2, 16, 16, 4) && !suit(2, 20, 3, 4) && !suit(1, 17, 16, 2) && !suit(2, 68, 64, 4));
    }
}
