//! Sums of integers by vectors: bytes by the instruction that adds eight of them, in vectors of 16 bytes, words and longer elements
//! row by row. The compiler adds elements one by one, in an order of its own, if a kernel has several sums. What it loads here as
//! vectors of 16 bytes it would keep in such vectors, up to the variables of a loop that lead to the sum. So elements that are only
//! added are loaded as the longest vectors that rows have.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_add_epi16, _mm_add_epi32, _mm_add_epi64, _mm_cvtsi128_si64, _mm_loadl_epi64,
    _mm_loadu_si128, _mm_madd_epi16, _mm_move_epi64, _mm_sad_epu8, _mm_set1_epi8, _mm_set1_epi16,
    _mm_setzero_si128, _mm_shuffle_epi32, _mm_shufflelo_epi16, _mm_unpackhi_epi64, _mm_xor_si128,
};

use cm_macros::inlined;

use super::super::arrays::Lanes;
use super::wide::{Wide, added as added_wide};
use crate::elem::{Elem, ElemType};

/// Bytes of a register.
const REGISTER: usize = size_of::<__m128i>();

/// How elements become the sums of a register.
#[derive(Clone, Copy)]
enum Way {
    /// Sums of eight bytes, in 64 bits.
    Bytes,
    /// The elements themselves, as long as the result.
    Words,
    DoubleWords,
    /// Sums of two signed words, in 32 bits.
    PairsOfWords,
}

/// The way of elements `T` that are summed as `P`, in rows of `columns`.
const fn way<T: Elem, P: Elem>(columns: usize) -> Option<Way> {
    if T::FLOAT || P::FLOAT || columns == 0 || !(columns * size_of::<T>()).is_multiple_of(REGISTER / 2) {
        return None;
    }
    match (T::TYPE, size_of::<P>()) {
        (ElemType::U8 | ElemType::I8, _) => Some(Way::Bytes),
        (ElemType::U16 | ElemType::I16, 2) => Some(Way::Words),
        (ElemType::I16, 4) => Some(Way::PairsOfWords),
        (ElemType::U32 | ElemType::I32, 4) => Some(Way::DoubleWords),
        _ => None,
    }
}

/// Whether rows of `columns` elements `T` are summed so, as integers `P`.
pub(in crate::cpu) const fn suit<T: Elem, P: Elem>(columns: usize) -> bool {
    way::<T, P>(columns).is_some()
}

/// The sum of the elements of thread `n`; the bits that `P` has are those of the sum.
///
/// # Panics
/// If the elements are not such that they [`suit`].
#[inlined]
pub(in crate::cpu) fn sum<T: Elem, P: Elem, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
    n: usize,
) -> i64 {
    let chosen = const { way::<T, P>(C) }.expect("rows that suit");
    if let Some(wide) = const {
        match (way::<T, P>(C), C * size_of::<T>() % 64) {
            (Some(Way::Words), 0) => Some(total_of_wide::<T, [u16; 2], N, R, C> as fn(_, _, _) -> _),
            (Some(Way::Words), 32) => Some(total_of_wide::<T, u16, N, R, C> as fn(_, _, _) -> _),
            (Some(Way::DoubleWords), 0) => Some(total_of_wide::<T, [u32; 2], N, R, C> as fn(_, _, _) -> _),
            (Some(Way::DoubleWords), 32) => Some(total_of_wide::<T, u32, N, R, C> as fn(_, _, _) -> _),
            _ => None,
        }
    } {
        return wide(chosen, x, n);
    }
    let signed_bytes = const { matches!(T::TYPE, ElemType::I8) };
    // SAFETY: SSE2 is part of the architecture. Rows have whole registers, and 8 bytes after them if that leaves a remainder.
    unsafe {
        let zero = _mm_setzero_si128();
        // Adds 128 to signed bytes, as unsigned ones.
        let moved = if signed_bytes { _mm_set1_epi8(i8::MIN) } else { zero };
        let mut all = zero;
        for row in x {
            let row = row[n].as_ptr().cast::<u8>();
            for part in 0..const { C * size_of::<T>() / REGISTER } {
                let elements = _mm_loadu_si128(row.add(part * REGISTER).cast());
                all = added(chosen, all, _mm_xor_si128(elements, moved));
            }
            if const { !(C * size_of::<T>()).is_multiple_of(REGISTER) } {
                let elements = _mm_loadl_epi64(row.add(C * size_of::<T>() / REGISTER * REGISTER).cast());
                all = added(chosen, all, _mm_move_epi64(_mm_xor_si128(elements, moved)));
            }
        }
        let bias = if signed_bytes { 128 * (R * C) as i64 } else { 0 };
        total(chosen, all) - bias
    }
}

/// The sum of the elements of thread `n`, in the lowest bits, by vectors `W`.
///
/// # Panics
/// If rows are not whole vectors.
#[inlined]
fn total_of_wide<T: Elem, W: Wide, const N: usize, const R: usize, const C: usize>(
    way: Way,
    x: &Lanes<T, N, R, C>,
    n: usize,
) -> i64 {
    let vector = const { size_of::<W::Vector>() };
    assert!((C * size_of::<T>()).is_multiple_of(vector), "rows of whole vectors");
    let mut all = W::ZERO;
    for row in x {
        let row = row[n].as_ptr().cast::<W::Vector>();
        for part in 0..C * size_of::<T>() / vector {
            // SAFETY: the row has this vector, by the assertion; vectors are plain numbers.
            all = added_wide::<W>(all, unsafe { row.add(part).read_unaligned() });
        }
    }
    // SAFETY: a vector is so many registers, of plain numbers.
    let sums = unsafe {
        if const { size_of::<W::Vector>() == 2 * REGISTER } {
            let [a, b] = std::mem::transmute_copy::<_, [__m128i; 2]>(&all);
            added(way, a, b)
        } else {
            let [a, b, c, d] = std::mem::transmute_copy::<_, [__m128i; 4]>(&all);
            added(way, added(way, a, c), added(way, b, d))
        }
    };
    total(way, sums)
}

/// `sums` and those of the elements.
#[inlined]
fn added(way: Way, sums: __m128i, elements: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of the architecture.
    unsafe {
        match way {
            Way::Bytes => _mm_add_epi64(sums, _mm_sad_epu8(elements, _mm_setzero_si128())),
            Way::Words => _mm_add_epi16(sums, elements),
            Way::DoubleWords => _mm_add_epi32(sums, elements),
            Way::PairsOfWords => _mm_add_epi32(sums, _mm_madd_epi16(elements, _mm_set1_epi16(1))),
        }
    }
}

/// All sums of a register as one, in the lowest bits.
#[inlined]
fn total(way: Way, sums: __m128i) -> i64 {
    // SAFETY: SSE2 is part of the architecture.
    unsafe {
        let upper = _mm_unpackhi_epi64(sums, sums);
        let one = match way {
            Way::Bytes => _mm_add_epi64(sums, upper),
            Way::DoubleWords | Way::PairsOfWords => {
                let two = _mm_add_epi32(sums, upper);
                _mm_add_epi32(two, _mm_shuffle_epi32::<1>(two))
            }
            Way::Words => {
                let four = _mm_add_epi16(sums, upper);
                let two = _mm_add_epi16(four, _mm_shuffle_epi32::<1>(four));
                _mm_add_epi16(two, _mm_shufflelo_epi16::<1>(two))
            }
        };
        _mm_cvtsi128_si64(one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elem::{Convert as _, bf16};

    fn check_type<T: Elem, P: Elem, const R: usize, const C: usize>() {
        assert!(suit::<T, P>(C), "{} as {}, {R} x {C}", T::TYPE, P::TYPE);
        for step in [0_i64, 1, 37, 0x1235_4321] {
            let mut lanes = [[[T::default(); C]; 2]; R];
            for (k, x) in lanes.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
                *x = T::cast_from(step * k as i64 - 1);
            }
            for n in 0..2 {
                let expected: i64 = lanes.iter().flat_map(|row| row[n]).map(i64::cast_from).sum();
                let sum = sum::<T, P, 2, R, C>(&lanes, n);
                assert!(P::cast_from(sum) == P::cast_from(expected), "{R} x {C}: {sum}, {expected}");
            }
        }
        for extreme in [i64::MIN, i64::MAX, 1 << 31, 1 << 15, 1 << 7, 127, 32767] {
            let x = T::cast_from(extreme);
            let expected = i64::cast_from(x) * (R * C) as i64;
            let sum = sum::<T, P, 1, R, C>(&[[[x; C]]; R], 0);
            assert!(P::cast_from(sum) == P::cast_from(expected), "{R} x {C}: {sum}, {expected}");
        }
    }

    fn check<const R: usize, const C: usize>() {
        check_type::<u8, i32, R, C>();
        check_type::<i8, i32, R, C>();
        check_type::<u8, u16, R, C>();
        check_type::<u16, u16, R, C>();
        check_type::<u16, i16, R, C>();
        check_type::<i16, u16, R, C>();
        check_type::<i16, i32, R, C>();
        check_type::<i16, u32, R, C>();
        check_type::<i32, i32, R, C>();
        check_type::<u32, i32, R, C>();
    }

    #[test]
    fn sums_are_those_of_single_elements() {
        check::<1, 8>();
        check::<1, 32>();
        check::<3, 24>();
        check::<8, 8>();
        check::<16, 16>();
        check::<5, 40>();
        check::<3, 48>();
        check::<2, 64>();
        check_type::<u16, u16, 3, 4>();
        check_type::<i16, i32, 3, 4>();
        check_type::<u32, u32, 5, 2>();
        check_type::<i32, i32, 5, 6>();
    }

    #[test]
    fn other_rows_do_not_suit() {
        assert!(!suit::<u8, i32>(12), "bytes that fill no half of a register");
        assert!(!suit::<u16, i32>(8), "no instruction adds unsigned words as longer ones");
        assert!(!suit::<f32, f32>(8), "floats, whose sums depend on the order");
        assert!(!suit::<bf16, bf16>(8), "floats as bits");
        assert!(!suit::<u16, i32>(0), "no elements");
    }
}
