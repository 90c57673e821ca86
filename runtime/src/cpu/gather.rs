//! Elements of a buffer by their numbers. With AVX2 by its gathers, which a mask costs nothing: the compiler puts single loads
//! together in memory, and a vector that is loaded from there waits until all of them have been stored. Where gathers take longer
//! than single loads that are put together in registers, these are used if all elements are inside (`singles`).

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm_and_si128, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_min_epu32, _mm_set1_epi32,
    _mm_storel_epi64, _mm_storeu_si128, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi32,
    _mm256_cvtepi32_epi64, _mm256_mask_i32gather_epi32, _mm256_mask_i32gather_epi64, _mm256_min_epu32,
    _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permutevar8x32_epi32, _mm256_set_m128i,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srlv_epi32,
    _mm256_storeu_si256, _mm256_sub_epi32,
};

use cm_dsl::cpu::Avx2;
use cm_dsl::elem::Elem;
use cm_macros::inlined;

use super::isa;
#[cfg(target_arch = "x86_64")]
use super::singles::{self, suit};

/// How rows of elements are loaded, if AVX2 is proven.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gathers {
    avx2: Avx2,
    /// Whether single loads are faster than the instruction.
    slow: bool,
}

impl Gathers {
    #[inlined]
    pub(super) fn of(avx2: Avx2) -> Self {
        Self { avx2, slow: isa::gathers_are_slow() }
    }
}

/// The number of an element `T`: its address in bytes wraps in 32 bits.
#[inlined]
pub(super) fn number<T: Elem>(element: u32) -> u32 {
    element & const { u32::MAX / size_of::<T>() as u32 }
}

/// The elements with these numbers; 0 for those that are not below `count`. With AVX2 if that is proven.
///
/// # Safety
/// `count` elements are at `start`. Nobody writes these while they are read, nor, with AVX2 and if they are shorter than dwords,
/// their neighbours.
#[inlined]
pub(super) unsafe fn gather<T: Elem, const C: usize>(
    start: *const T,
    count: u32,
    elements: &[u32; C],
    row: &mut [T; C],
    gathers: Option<Gathers>,
) {
    #[cfg(target_arch = "x86_64")]
    if const { suit(C, size_of::<T>()) } {
        match gathers {
            // SAFETY: as the caller says; the elements are inside.
            Some(Gathers { avx2, slow: true }) if singles::are_inside::<T, C>(count, elements, avx2) => unsafe {
                singles::load(start, elements, row, avx2);
            },
            // SAFETY: as the caller says.
            Some(Gathers { avx2, .. }) if fits(count, size_of::<T>()) => unsafe {
                vectors(start, count, elements, row, avx2);
            },
            // SAFETY: as the caller says.
            _ => *row = unsafe { load_each(start, count, *elements) },
        }
        return;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = gathers.map(|Gathers { avx2, slow }| (avx2, slow));
    for (x, element) in row.iter_mut().zip(elements) {
        // SAFETY: as the caller says.
        *x = unsafe { load_one(start, count, *element) };
    }
}

/// An element by its number; 0 if that is not below `count`. With a branch, which takes no time if it is predicted: the next
/// address often depends on the element.
///
/// # Safety
/// As for [`gather`].
#[inlined]
unsafe fn load_one<T: Elem>(start: *const T, count: u32, element: u32) -> T {
    let at = number::<T>(element);
    // SAFETY: as the caller says: the element is inside.
    if at < count { unsafe { start.add(at as usize).read_unaligned() } } else { T::default() }
}

/// Elements one by one, in a function of its own: kernels seldom need it.
///
/// # Safety
/// As for [`gather`].
#[cfg(target_arch = "x86_64")]
#[inline(never)]
unsafe fn load_each<T: Elem, const C: usize>(start: *const T, count: u32, elements: [u32; C]) -> [T; C] {
    // SAFETY: as the caller says.
    elements.map(|element| unsafe { load_one(start, count, element) })
}

/// Bytes that a gather loads for a shorter element.
#[cfg(target_arch = "x86_64")]
const DWORD: usize = 4;

/// Whether `count` elements of `size` bytes are enough, and not too many: gathers load dwords, and add signed numbers.
#[cfg(target_arch = "x86_64")]
#[inlined]
fn fits(count: u32, size: usize) -> bool {
    let bytes = u64::from(count) * size as u64;
    (DWORD as u64..=i32::MAX as u64).contains(&bytes)
}

/// The elements with these numbers, as many as [`suit`]; 0 for those that are not below `count`.
///
/// # Safety
/// `count` elements, which [`fits`], are at `start`. Nobody writes these while they are read, nor, if they are shorter than
/// dwords, their neighbours.
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn vectors<T: Elem, const C: usize>(
    start: *const T,
    count: u32,
    elements: &[u32; C],
    row: &mut [T; C],
    _: Avx2,
) {
    let size = const { size_of::<T>() };
    assert!(suit(C, size), "whole vectors");
    let (from, to) = (elements.as_ptr(), row.as_mut_ptr());
    let last = count.wrapping_sub(1) as i32;
    // The address of an element in bytes wraps.
    let mask = const { (u32::MAX / size_of::<T>() as u32) as i32 };
    /// 8 dwords from element `$k` on.
    macro_rules! dwords {
        ($k:expr) => {{
            // By halves, as which the compiler may have stored them: the processor would not forward two stores to one load.
            let (low, high) = (from.add($k).cast(), from.add($k + 4).cast());
            let at = _mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low));
            let at = _mm256_and_si256(at, _mm256_set1_epi32(mask));
            let inside = _mm256_cmpeq_epi32(_mm256_min_epu32(at, _mm256_set1_epi32(last)), at);
            if const { size_of::<T>() == DWORD } {
                _mm256_mask_i32gather_epi32::<4>(_mm256_setzero_si256(), start.cast(), at, inside)
            } else {
                short(start.cast(), at, inside, count as usize * size, size)
            }
        }};
    }
    // SAFETY: AVX2 is proven. All numbers and results are in their arrays, because the vectors are whole. Gathers load
    // elements below `count` only, which are there as the caller says.
    unsafe {
        match size {
            1 if const { C.is_multiple_of(32) } => {
                for k in 0..C / 32 {
                    let k = k * 32;
                    let first = _mm256_packus_epi32(dwords!(k), dwords!(k + 8));
                    let second = _mm256_packus_epi32(dwords!(k + 16), dwords!(k + 24));
                    _mm256_storeu_si256(to.add(k).cast(), in_order(_mm256_packus_epi16(first, second)));
                }
            }
            1 if const { C.is_multiple_of(16) } => {
                for k in 0..C / 16 {
                    let k = k * 16;
                    let words = _mm256_packus_epi32(dwords!(k), dwords!(k + 8));
                    let bytes = in_order(_mm256_packus_epi16(words, words));
                    _mm_storeu_si128(to.add(k).cast(), _mm256_castsi256_si128(bytes));
                }
            }
            1 => {
                for k in 0..C / 8 {
                    let k = k * 8;
                    let low = dwords!(k);
                    let words = _mm256_packus_epi32(low, low);
                    let bytes = in_order(_mm256_packus_epi16(words, words));
                    _mm_storel_epi64(to.add(k).cast(), _mm256_castsi256_si128(bytes));
                }
            }
            2 if const { C.is_multiple_of(16) } => {
                for k in 0..C / 16 {
                    let k = k * 16;
                    let words = _mm256_packus_epi32(dwords!(k), dwords!(k + 8));
                    let parts = _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
                    _mm256_storeu_si256(to.add(k).cast(), _mm256_permutevar8x32_epi32(words, parts));
                }
            }
            2 => {
                for k in 0..C / 8 {
                    let k = k * 8;
                    let low = dwords!(k);
                    let words = _mm256_packus_epi32(low, low);
                    let parts = _mm256_setr_epi32(0, 1, 4, 5, 0, 1, 4, 5);
                    let words = _mm256_permutevar8x32_epi32(words, parts);
                    _mm_storeu_si128(to.add(k).cast(), _mm256_castsi256_si128(words));
                }
            }
            DWORD => {
                for k in 0..C / 8 {
                    _mm256_storeu_si256(to.add(k * 8).cast(), dwords!(k * 8));
                }
            }
            _ => {
                for k in 0..C / 4 {
                    let k = k * 4;
                    let at = _mm_and_si128(_mm_loadu_si128(from.add(k).cast()), _mm_set1_epi32(mask));
                    let inside = _mm_cmpeq_epi32(_mm_min_epu32(at, _mm_set1_epi32(last)), at);
                    let (zero, inside) = (_mm256_setzero_si256(), _mm256_cvtepi32_epi64(inside));
                    let qwords = _mm256_mask_i32gather_epi64::<8>(zero, start.cast(), at, inside);
                    _mm256_storeu_si256(to.add(k).cast(), qwords);
                }
            }
        }
    }
}

/// The bytes of four vectors of dwords that have been packed twice, in the order of these.
///
/// # Safety
/// The CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn in_order(bytes: __m256i) -> __m256i {
    // SAFETY: as the caller says.
    unsafe { _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)) }
}

/// Elements of `size` bytes, one or two, from dwords that lie among `bytes` bytes, which are 4 at least.
///
/// # Safety
/// The CPU has AVX2. The bytes are at `start`, and those of the elements that are `inside` are among them.
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn short(start: *const i32, at: __m256i, inside: __m256i, bytes: usize, size: usize) -> __m256i {
    // SAFETY: as the caller says; `dwords_of` are among the bytes.
    unsafe {
        let first = if size == 1 { at } else { _mm256_slli_epi32::<1>(at) };
        let dword = dwords_of(first, bytes);
        let dwords = _mm256_mask_i32gather_epi32::<1>(_mm256_setzero_si256(), start, dword, inside);
        let bits = _mm256_slli_epi32::<3>(_mm256_sub_epi32(first, dword));
        let ones = if size == 1 { 0xff } else { 0xffff };
        _mm256_and_si256(_mm256_srlv_epi32(dwords, bits), _mm256_set1_epi32(ones))
    }
}

/// The first bytes of the dwords that hold the elements with these first bytes: of `bytes` bytes, which are 4 at least, no dword
/// starts after the last one.
///
/// # Safety
/// The CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[inlined]
unsafe fn dwords_of(first: __m256i, bytes: usize) -> __m256i {
    // SAFETY: as the caller says.
    unsafe { _mm256_min_epu32(first, _mm256_set1_epi32((bytes - DWORD) as i32)) }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Gathered elements are those of single loads, also the first and last ones and those outside.
    fn gathered<T: Elem, const C: usize>(avx2: Avx2) {
        for count in [4, 5, 7, 100] {
            let all: Vec<T> = (0..count).map(|x| T::cast_from(x as u8 + 150)).collect();
            for first in 0..count {
                let mut elements = [0u32; C];
                for (k, element) in elements.iter_mut().enumerate() {
                    *element = match k % 5 {
                        0 => count - 1 - first,
                        1 => u32::MAX - 3,
                        2 => count,
                        3 => first + (u32::MAX / size_of::<T>() as u32).wrapping_add(1),
                        _ => first * k as u32 % count,
                    };
                }
                let mut row = [T::default(); C];
                assert!(suit(C, size_of::<T>()) && fits(count, size_of::<T>()));
                // SAFETY: `all` has so many elements, which nobody writes.
                unsafe { gather(all.as_ptr(), count, &elements, &mut row, None) };
                let expected = elements.map(|element| {
                    let element = element & (u32::MAX / size_of::<T>() as u32);
                    all.get(element as usize).copied().unwrap_or_default()
                });
                assert_eq!(row, expected, "{elements:?} of {count}, one by one");
                // Those that are inside, too: all of them may be single loads.
                let inside = elements.map(|element| element % count);
                for slow in [false, true] {
                    let gathers = Some(Gathers { avx2, slow });
                    // SAFETY: as above.
                    unsafe { gather(all.as_ptr(), count, &elements, &mut row, gathers) };
                    assert_eq!(row, expected, "{elements:?} of {count}");
                    // SAFETY: as above.
                    unsafe { gather(all.as_ptr(), count, &inside, &mut row, gathers) };
                    assert_eq!(row, inside.map(|element| all[element as usize]), "{inside:?} of {count}");
                }
            }
        }
    }

    #[test]
    fn gathered_elements_are_those_of_single_loads() {
        let Some(avx2) = Avx2::detect() else {
            println!("skipped: this CPU has no AVX2");
            return;
        };
        gathered::<u8, 8>(avx2);
        gathered::<u8, 16>(avx2);
        gathered::<i8, 32>(avx2);
        gathered::<u16, 8>(avx2);
        gathered::<i16, 16>(avx2);
        gathered::<u16, 32>(avx2);
        gathered::<u32, 8>(avx2);
        gathered::<f32, 16>(avx2);
        gathered::<f64, 4>(avx2);
        gathered::<u64, 16>(avx2);
    }

    #[cfg(target_os = "linux")]
    mod guarded {
        use std::ffi::{c_int, c_void};
        use std::ptr;

        use super::*;

        unsafe extern "C" {
            fn mmap(
                at: *mut c_void,
                len: usize,
                prot: c_int,
                flags: c_int,
                fd: c_int,
                offset: i64,
            ) -> *mut c_void;
            fn mprotect(at: *mut c_void, len: usize, prot: c_int) -> c_int;
            fn munmap(at: *mut c_void, len: usize) -> c_int;
        }

        const PAGE: usize = 4096;
        const NO_ACCESS: c_int = 0;
        const READ_WRITE: c_int = 3;
        const PRIVATE_ANONYMOUS: c_int = 0x22;

        /// Gathers the last 8 elements of a page before one without access: a read behind them ends the process.
        fn gathered_at_the_end<T: Elem>(avx2: Avx2) {
            // SAFETY: two pages that are nobody else's, of which the second one is not accessed.
            unsafe {
                let pages = mmap(ptr::null_mut(), 2 * PAGE, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
                assert!(pages.addr() != usize::MAX, "no memory");
                assert_eq!(mprotect(pages.byte_add(PAGE), PAGE, NO_ACCESS), 0);
                let start = pages.byte_add(PAGE - 8 * size_of::<T>()).cast::<T>();
                let all: [T; 8] = std::array::from_fn(|k| T::cast_from(k as u8 + 200));
                start.cast::<[T; 8]>().write_unaligned(all);
                for (slow, elements) in [(false, [7, 6, 5, 4, 3, 8, 7, 0]), (true, [7, 6, 5, 4, 3, 2, 7, 0])]
                {
                    let mut row = [T::default(); 8];
                    gather(start, 8, &elements, &mut row, Some(Gathers { avx2, slow }));
                    let expected =
                        elements.map(|element| all.get(element as usize).copied().unwrap_or_default());
                    assert_eq!(row, expected);
                }
                assert_eq!(munmap(pages, 2 * PAGE), 0);
            }
        }

        #[test]
        fn gathers_stay_inside_of_the_buffer() {
            let Some(avx2) = Avx2::detect() else {
                println!("skipped: this CPU has no AVX2");
                return;
            };
            gathered_at_the_end::<u8>(avx2);
            gathered_at_the_end::<i16>(avx2);
            gathered_at_the_end::<u32>(avx2);
            gathered_at_the_end::<u64>(avx2);
        }
    }

    #[test]
    fn dwords_end_with_the_bytes() {
        if Avx2::detect().is_none() {
            println!("skipped: this CPU has no AVX2");
            return;
        }
        let mut found = [0u32; 8];
        // SAFETY: AVX2 is detected, and the array has the size of the vector.
        unsafe {
            let first = _mm256_setr_epi32(0, 1, 2, 3, 4, 95, 96, 99);
            _mm256_storeu_si256(found.as_mut_ptr().cast(), dwords_of(first, 100));
            assert_eq!(found, [0, 1, 2, 3, 4, 95, 96, 96]);
            _mm256_storeu_si256(found.as_mut_ptr().cast(), dwords_of(first, DWORD));
        }
        assert_eq!(found, [0; 8]);
    }

    #[test]
    fn few_and_many_bytes_do_not_fit() {
        assert!(!fits(3, 1) && fits(4, 1) && !fits(1, 2) && fits(1, 4));
        assert!(fits(i32::MAX as u32, 1) && !fits(1 << 31, 1) && !fits(1 << 29, 4));
        assert!(!suit(4, 4) && suit(8, 4) && suit(4, 8) && !suit(2, 8) && !suit(0, 1));
    }
}
