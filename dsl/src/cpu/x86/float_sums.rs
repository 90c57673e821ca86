//! Sums of floats by vectors, half of the elements to the other half. The compiler would see the last two sums of two threads as
//! one vector, and would keep all that leads to them, up to the variables of a loop, in pairs of elements. With vectors of 16
//! bytes alone it would keep these in vectors of 16 bytes, also where it has longer ones.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "several arrays are indexed at once")]

use std::arch::x86_64::{
    __m128, __m128d, _mm_add_pd, _mm_add_ps, _mm_add_sd, _mm_add_ss, _mm_cvtsd_f64, _mm_cvtss_f32,
    _mm_movehl_ps, _mm_shuffle_ps, _mm_unpackhi_pd,
};

use cm_macros::inlined;

use super::super::arrays::Lanes;
use super::wide::{Wide, added};
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
    /// The last vector of 16 bytes: the sum of the halves of a wide one, which are those of all wide ones. An only vector of 16
    /// bytes is the last one, and two of them are one wide one.
    macro_rules! halved {
        ($float:ty, $short:ty, $add:ident) => {{
            let vector = |k: usize| {
                let in_row = C * size_of::<T>() / VECTOR;
                x[k / in_row][n].as_ptr().cast::<u8>().add(k % in_row * VECTOR)
            };
            let mut count = R * C * size_of::<T>() / VECTOR;
            if count == 1 {
                vector(0).cast::<$short>().read_unaligned()
            } else {
                let mut all = [<$float as Wide>::ZERO; MOST / 2];
                count /= 2;
                for k in 0..count {
                    // Rows of one vector are not side by side.
                    all[k] = if const { C * size_of::<T>() > VECTOR } {
                        vector(2 * k).cast::<<$float as Wide>::Vector>().read_unaligned()
                    } else {
                        let two = [0, 1].map(|half| vector(2 * k + half).cast::<$short>().read_unaligned());
                        std::mem::transmute::<[$short; 2], <$float as Wide>::Vector>(two)
                    };
                }
                while count > 1 {
                    count /= 2;
                    for k in 0..count {
                        all[k] = added::<$float>(all[k], all[count + k]);
                    }
                }
                let [low, high] = std::mem::transmute::<<$float as Wide>::Vector, [$short; 2]>(all[0]);
                $add(low, high)
            }
        }};
    }
    // SAFETY: SSE2 is part of the architecture. Rows are whole vectors, as `suit` says, and if they are several, an even number of
    // them. Vectors are plain numbers.
    unsafe {
        if const { size_of::<T>() == 4 } {
            let four = halved!(f32, __m128, _mm_add_ps);
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            P::cast_from(_mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two))))
        } else {
            let two = halved!(f64, __m128d, _mm_add_pd);
            P::cast_from(_mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elem::Convert as _;

    /// The sum by halves, element by element.
    fn halves<T: Elem>(mut all: Vec<f64>, add: fn(f64, f64) -> f64) -> T {
        while all.len() > 1 {
            let upper = all.split_off(all.len() / 2);
            for (x, y) in all.iter_mut().zip(upper) {
                *x = add(*x, y);
            }
        }
        T::cast_from(all[0])
    }

    fn check_type<T: Elem, const R: usize, const C: usize>(add: fn(f64, f64) -> f64) {
        assert!(suit::<T, T>(R, C), "{} {R} x {C}", T::TYPE);
        let mut lanes = [[[T::default(); C]; 2]; R];
        for (k, x) in lanes.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
            // Numbers whose sum depends on the order.
            *x = T::cast_from(1e7 / (k * k + 3) as f64 * if k % 3 == 0 { -1.0 } else { 1.7 });
        }
        for n in 0..2 {
            let all = lanes.iter().flat_map(|row| row[n]).map(f64::cast_from).collect();
            let sum: T = sum::<T, T, 2, R, C>(&lanes, n);
            assert!(sum == halves::<T>(all, add), "{} {R} x {C}: {sum:?}", T::TYPE);
        }
    }

    fn check<const R: usize, const C: usize>() {
        check_type::<f32, R, C>(|x, y| f64::from(x as f32 + y as f32));
        check_type::<f64, R, C>(|x, y| x + y);
    }

    #[test]
    fn sums_are_those_of_halves() {
        check::<1, 4>();
        check::<1, 8>();
        check::<1, 16>();
        check::<2, 4>();
        check::<4, 4>();
        check::<8, 4>();
        check::<2, 8>();
        check::<8, 8>();
        check_type::<f64, 1, 2>(|x, y| x + y);
        check_type::<f64, 8, 2>(|x, y| x + y);
        check_type::<f32, 2, 64>(|x, y| f64::from(x as f32 + y as f32));
    }
}
