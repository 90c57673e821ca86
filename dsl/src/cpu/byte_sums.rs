//! Sums of bytes, by the instruction that adds eight of them. The compiler makes vectors of longer sums, and adds their
//! elements one by one if a kernel has several reductions.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _mm_add_epi64, _mm_loadl_epi64, _mm_loadu_si128, _mm_move_epi64, _mm_sad_epu8, _mm_set1_epi8,
    _mm_setzero_si128, _mm_storeu_si128, _mm_xor_si128,
};

use cm_macros::inlined;

use super::arrays::Lanes;
use crate::elem::{Elem, ElemType};

/// Bytes of a register.
const REGISTER: usize = size_of::<__m128i>();

/// Whether rows of `columns` elements `T` are summed so, as integers `P`.
pub(super) const fn suit<T: Elem, P: Elem>(columns: usize) -> bool {
    let bytes = matches!(T::TYPE, ElemType::U8 | ElemType::I8);
    bytes && !P::FLOAT && columns > 0 && columns.is_multiple_of(REGISTER / 2)
}

/// The sum of the elements of thread `n`.
///
/// # Panics
/// If they are not bytes, or rows of as many as [`suit`] says.
#[inlined]
pub(super) fn sum<T: Elem, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
    n: usize,
) -> i64 {
    assert!(suit::<T, i64>(C), "rows of bytes");
    let signed = const { T::TYPE.is_signed() };
    let mut sums = [0_i64; 2];
    // SAFETY: SSE2 is part of the architecture. Rows have `C` bytes: `C / 16` registers, and 8 bytes after them if that
    // leaves a remainder. `sums` is a register.
    unsafe {
        let zero = _mm_setzero_si128();
        // Adds 128 to signed bytes, as unsigned ones.
        let moved = if signed { _mm_set1_epi8(i8::MIN) } else { zero };
        let mut all = zero;
        for row in x {
            let row = row[n].as_ptr().cast::<u8>();
            for part in 0..const { C / REGISTER } {
                let bytes = _mm_loadu_si128(row.add(part * REGISTER).cast());
                all = _mm_add_epi64(all, _mm_sad_epu8(_mm_xor_si128(bytes, moved), zero));
            }
            if const { !C.is_multiple_of(REGISTER) } {
                let bytes = _mm_loadl_epi64(row.add(C / REGISTER * REGISTER).cast());
                let bytes = _mm_move_epi64(_mm_xor_si128(bytes, moved));
                all = _mm_add_epi64(all, _mm_sad_epu8(bytes, zero));
            }
        }
        _mm_storeu_si128(sums.as_mut_ptr().cast(), all);
    }
    let added = if signed { 128 * (R * C) as i64 } else { 0 };
    sums[0] + sums[1] - added
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const R: usize, const C: usize>() {
        let mut bytes = [[[0_u8; C]; 2]; R];
        for (k, byte) in bytes.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
            *byte = (k * 37 + 200) as u8;
        }
        let signed = bytes.map(|row| row.map(|row| row.map(|x| x as i8)));
        for n in 0..2 {
            let expected: i64 = bytes.iter().flat_map(|row| row[n]).map(i64::from).sum();
            assert_eq!(sum(&bytes, n), expected, "{R} x {C}");
            let expected: i64 = signed.iter().flat_map(|row| row[n]).map(i64::from).sum();
            assert_eq!(sum(&signed, n), expected, "{R} x {C}, signed");
        }
        assert_eq!(sum(&[[[u8::MAX; C]]; R], 0), 255 * (R * C) as i64);
        assert_eq!(sum(&[[[i8::MIN; C]]; R], 0), -128 * (R * C) as i64);
    }

    #[test]
    fn sums_are_those_of_single_bytes() {
        check::<1, 8>();
        check::<1, 32>();
        check::<3, 24>();
        check::<8, 8>();
        check::<16, 16>();
        check::<5, 40>();
    }
}
