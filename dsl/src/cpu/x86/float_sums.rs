//! Sums of floats by vectors of 16 bytes, half of the elements to the other half. The compiler would see the last two sums of
//! two threads as one vector, and would keep all that leads to them, up to the variables of a loop, in pairs of elements.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    _mm_add_pd, _mm_add_ps, _mm_add_sd, _mm_add_ss, _mm_cvtsd_f64, _mm_cvtss_f32, _mm_loadu_pd, _mm_loadu_ps,
    _mm_movehl_ps, _mm_setzero_pd, _mm_setzero_ps, _mm_shuffle_ps, _mm_unpackhi_pd,
};

use cm_macros::inlined;

use super::super::arrays::Lanes;
use crate::elem::{Elem, ElemType};

/// Bytes of a vector.
const VECTOR: usize = 16;

/// The most vectors that are summed so: those that the compiler keeps in registers.
const MOST: usize = 32;

/// Whether `rows` x `columns` elements `T` are summed so, as floats `P`: the first step, and each other one, adds whole vectors.
pub(in crate::cpu) const fn suit<T: Elem, P: Elem>(rows: usize, columns: usize) -> bool {
    let (row, vectors) = (columns * size_of::<T>(), rows * columns * size_of::<T>() / VECTOR);
    matches!((T::TYPE, P::TYPE), (ElemType::F32, ElemType::F32) | (ElemType::F64, ElemType::F64))
        && row.is_multiple_of(VECTOR)
        && vectors.is_power_of_two()
        && vectors <= MOST
}

/// The sum of the elements of thread `n`: those of the upper half are added to those of the lower half, until one is left.
///
/// # Panics
/// If the elements are not such that they [`suit`].
#[inlined]
pub(in crate::cpu) fn sum<T: Elem, P: Elem, const N: usize, const R: usize, const C: usize>(
    x: &Lanes<T, N, R, C>,
    n: usize,
) -> P {
    assert!(suit::<T, P>(R, C), "whole vectors");
    /// The sum of vectors, by the functions that load one and add two of them.
    macro_rules! halved {
        ($zero:expr, $load:ident, $add:ident) => {{
            let mut all = [$zero; MOST];
            let in_row = C * size_of::<T>() / VECTOR;
            let mut count = R * in_row;
            for r in 0..R {
                for k in 0..in_row {
                    all[r * in_row + k] = $load(x[r][n].as_ptr().cast::<u8>().add(k * VECTOR).cast());
                }
            }
            while count > 1 {
                count /= 2;
                for k in 0..count {
                    all[k] = $add(all[k], all[count + k]);
                }
            }
            all[0]
        }};
    }
    // SAFETY: SSE2 is part of the architecture. Rows are whole vectors, as `suit` says.
    unsafe {
        if const { size_of::<T>() == 4 } {
            let four = halved!(_mm_setzero_ps(), _mm_loadu_ps, _mm_add_ps);
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            P::cast_from(_mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two))))
        } else {
            let two = halved!(_mm_setzero_pd(), _mm_loadu_pd, _mm_add_pd);
            P::cast_from(_mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two))))
        }
    }
}
