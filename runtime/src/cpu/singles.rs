//! Elements of a buffer by single loads, put together in registers. The compiler would put them together in memory.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_insert_epi8,
    _mm_insert_epi16, _mm_insert_epi32, _mm_insert_epi64, _mm_loadu_si128, _mm_setzero_si128,
    _mm_storel_epi64, _mm_storeu_si128, _mm_unpackhi_epi64, _mm256_and_si256, _mm256_cmpeq_epi32,
    _mm256_min_epu32, _mm256_movemask_epi8, _mm256_set_m128i, _mm256_set1_epi32, _mm256_storeu_si256,
};

use cm_dsl::cpu::{Avx2, opaque};
use cm_dsl::elem::Elem;
use cm_macros::inlined;

/// The numbers of elements in a vector of 16 bytes.
const NUMBERS: usize = 4;

/// Whether rows of so many elements of `size` bytes are whole vectors, of these or of their numbers.
pub(super) const fn suit(columns: usize, size: usize) -> bool {
    columns > 0 && columns.is_multiple_of(if size > size_of::<u32>() { NUMBERS } else { 2 * NUMBERS })
}

/// Whether all these numbers, as many as [`suit`], are below `count`. Those of elements whose addresses wrap are not.
#[inlined]
pub(super) fn are_inside<T: Elem, const C: usize>(count: u32, elements: &[u32; C], _: Avx2) -> bool {
    assert!(suit(C, size_of::<T>()) && count > 0, "whole vectors, and elements");
    // SAFETY: AVX2 is proven, and all numbers are in the array.
    unsafe {
        let last = _mm256_set1_epi32(count.wrapping_sub(1) as i32);
        let mut inside = _mm256_set1_epi32(-1);
        for k in 0..C / (2 * NUMBERS) {
            let at = numbers(elements, 2 * NUMBERS * k);
            inside = _mm256_and_si256(inside, _mm256_cmpeq_epi32(_mm256_min_epu32(at, last), at));
        }
        if const { !C.is_multiple_of(2 * NUMBERS) } {
            let at = _mm_loadu_si128(elements.as_ptr().add(C - NUMBERS).cast());
            let at = _mm256_set_m128i(at, at);
            inside = _mm256_and_si256(inside, _mm256_cmpeq_epi32(_mm256_min_epu32(at, last), at));
        }
        _mm256_movemask_epi8(inside) == -1
    }
}

/// 8 numbers from number `k` on. By halves, as which the compiler may have stored them.
///
/// # Safety
/// The CPU has AVX2, and the numbers are in the array.
#[inlined]
unsafe fn numbers<const C: usize>(elements: &[u32; C], k: usize) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        let (low, high) = (elements.as_ptr().add(k), elements.as_ptr().add(k + NUMBERS));
        _mm256_set_m128i(_mm_loadu_si128(high.cast()), _mm_loadu_si128(low.cast()))
    }
}

/// The elements with these numbers, as many as [`suit`], which [`are_inside`].
///
/// # Safety
/// They are at `start`, and nobody writes them while they are read.
#[inlined]
pub(super) unsafe fn load<T: Elem, const C: usize>(
    start: *const T,
    elements: &[u32; C],
    row: &mut [T; C],
    _: Avx2,
) {
    assert!(suit(C, size_of::<T>()), "whole vectors");
    let to = row.as_mut_ptr();
    // By no closures: these stay functions of their own, compiled without AVX2.
    /// The element number `$at`, as plain numbers.
    macro_rules! one {
        ($at:expr, $plain:ty as $long:ty) => {
            start.add($at).cast::<$plain>().read_unaligned() as $long
        };
    }
    /// Elements `$k` to `$k + 3`, put into these places of a vector.
    macro_rules! four {
        ($vector:expr, $k:expr, $plain:ty, $insert:ident $a:literal $b:literal $c:literal $d:literal) => {{
            let [a, b, c, d] = places::<C>(elements, $k);
            let vector = $insert::<$a>($vector, one!(a, $plain as i32));
            let vector = $insert::<$b>(vector, one!(b, $plain as i32));
            let vector = $insert::<$c>(vector, one!(c, $plain as i32));
            $insert::<$d>(vector, one!(d, $plain as i32))
        }};
    }
    /// Elements `$k` to `$k + 3` of 4 bytes.
    macro_rules! four_long {
        ($k:expr) => {{
            let [a, b, c, d] = places::<C>(elements, $k);
            let vector = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(one!(a, i32 as i32)), one!(b, i32 as i32));
            _mm_insert_epi32::<3>(_mm_insert_epi32::<2>(vector, one!(c, i32 as i32)), one!(d, i32 as i32))
        }};
    }
    // SAFETY: AVX2 is proven. All numbers and results are in their arrays, because the vectors are whole. The elements are at
    // `start`, as the caller says, and are plain numbers.
    unsafe {
        match const { size_of::<T>() } {
            1 => {
                for k in 0..C / 16 {
                    let k = k * 16;
                    let v = four!(_mm_setzero_si128(), k, u8, _mm_insert_epi8 0 1 2 3);
                    let v = four!(v, k + 4, u8, _mm_insert_epi8 4 5 6 7);
                    let v = four!(v, k + 8, u8, _mm_insert_epi8 8 9 10 11);
                    let v = four!(v, k + 12, u8, _mm_insert_epi8 12 13 14 15);
                    _mm_storeu_si128(to.add(k).cast(), v);
                }
                if const { !C.is_multiple_of(16) } {
                    let v = four!(_mm_setzero_si128(), C - 8, u8, _mm_insert_epi8 0 1 2 3);
                    let v = four!(v, C - 4, u8, _mm_insert_epi8 4 5 6 7);
                    _mm_storel_epi64(to.add(C - 8).cast(), v);
                }
            }
            2 => {
                for k in 0..C / 8 {
                    let k = k * 8;
                    let v = four!(_mm_setzero_si128(), k, u16, _mm_insert_epi16 0 1 2 3);
                    let v = four!(v, k + 4, u16, _mm_insert_epi16 4 5 6 7);
                    _mm_storeu_si128(to.add(k).cast(), v);
                }
            }
            4 => {
                for k in 0..C / 8 {
                    let k = k * 8;
                    let (low, high) = (four_long!(k), four_long!(k + 4));
                    _mm256_storeu_si256(to.add(k).cast(), _mm256_set_m128i(high, low));
                }
            }
            _ => {
                for k in 0..C / 4 {
                    let k = k * 4;
                    let [a, b, c, d] = places::<C>(elements, k);
                    let low =
                        _mm_insert_epi64::<1>(_mm_cvtsi64_si128(one!(a, i64 as i64)), one!(b, i64 as i64));
                    let high =
                        _mm_insert_epi64::<1>(_mm_cvtsi64_si128(one!(c, i64 as i64)), one!(d, i64 as i64));
                    _mm256_storeu_si256(to.add(k).cast(), _mm256_set_m128i(high, low));
                }
            }
        }
    }
}

/// Four numbers from number `k` on, as indices. Two leave a vector together.
///
/// # Safety
/// The CPU has AVX2, and the numbers are in the array.
#[inlined]
unsafe fn places<const C: usize>(elements: &[u32; C], k: usize) -> [usize; NUMBERS] {
    // SAFETY: as the caller says.
    let (low, high) = unsafe {
        let at = _mm_loadu_si128(elements.as_ptr().add(k).cast());
        (opaque(lowest(at)), opaque(lowest(_mm_unpackhi_epi64(at, at))))
    };
    let one = |pair: usize| pair as u32 as usize;
    [one(low), low >> u32::BITS, one(high), high >> u32::BITS]
}

/// The lowest 8 bytes.
#[inlined]
fn lowest(vector: __m128i) -> usize {
    // SAFETY: SSE2 is part of the architecture.
    unsafe { _mm_cvtsi128_si64(vector) as usize }
}
