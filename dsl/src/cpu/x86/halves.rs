//! `f16` to `f32` and back, by the instructions that AVX2 CPUs have for it. The compiler does not find them.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm_storeu_si128, _mm256_cvtph_ps, _mm256_cvtps_ph,
    _mm256_loadu_ps, _mm256_storeu_ps,
};

use cm_macros::inlined;

use super::super::environment::Avx2;
use crate::elem::{Elem, ElemType};

/// Elements of a register.
const EACH: usize = 8;

/// Whether elements `T` become `U` so.
pub(in crate::cpu) const fn suit<T: Elem, U: Elem>() -> bool {
    matches!((T::TYPE, U::TYPE), (ElemType::F16, ElemType::F32) | (ElemType::F32, ElemType::F16))
}

/// `U::cast_from` of every element.
///
/// # Panics
/// If these are other types, or there are not as many elements of both.
#[inlined]
pub(in crate::cpu) fn convert<T: Elem, U: Elem>(from: &[T], to: &mut [U], _: Avx2) {
    assert!(suit::<T, U>() && from.len() == to.len(), "f16 and f32, as many of both");
    let whole = from.len() / EACH * EACH;
    let (source, target) = (from.as_ptr(), to.as_mut_ptr());
    for at in (0..whole).step_by(EACH) {
        // SAFETY: these instructions are part of AVX2 and F16C, which the caller has proven. `EACH` elements from
        // `at` on are in both slices, and have 2 and 4 bytes, or 4 and 2, by the types that are checked above.
        unsafe {
            if T::TYPE == ElemType::F16 {
                let halves = _mm_loadu_si128(source.add(at).cast::<__m128i>());
                _mm256_storeu_ps(target.add(at).cast::<f32>(), _mm256_cvtph_ps(halves));
            } else {
                let floats = _mm256_loadu_ps(source.add(at).cast::<f32>());
                let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(floats);
                _mm_storeu_si128(target.add(at).cast::<__m128i>(), halves);
            }
        }
    }
    for (from, to) in from[whole..].iter().zip(&mut to[whole..]) {
        *to = U::cast_from(*from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elem::{Convert, f16};

    #[test]
    fn conversions_are_those_of_single_elements() {
        let Some(avx2) = Avx2::detect() else {
            println!("skipped: this CPU has no AVX2");
            return;
        };
        let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        let mut floats = vec![0f32; halves.len()];
        convert(&halves, &mut floats, avx2);
        let nan = |x: f32, y: f32| x.is_nan() && y.is_nan();
        for (x, found) in halves.iter().zip(&floats) {
            let exact = f32::cast_from(*x);
            assert!(found.to_bits() == exact.to_bits() || nan(*found, exact), "{x}: {found}");
        }
        let singles: Vec<f32> = (0..=u32::MAX).step_by(10_007).map(f32::from_bits).collect();
        let mut found = vec![f16::ZERO; singles.len()];
        convert(&singles, &mut found, avx2);
        for (x, found) in singles.iter().zip(&found) {
            let exact = f16::cast_from(*x);
            assert!(found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan(), "{x:e}: {found}");
        }
    }
}
