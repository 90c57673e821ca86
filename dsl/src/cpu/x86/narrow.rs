//! Converts floats to bytes and words, 32 at once, by packing saturated integers. On AVX2 the compiler itself
//! narrows them eight by eight, with more instructions than it computes them by; AVX-512 has one instruction
//! for it.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256, __m256i, _CMP_ORD_Q, _mm256_and_ps, _mm256_cmp_ps, _mm256_cvttps_epi32, _mm256_loadu_ps,
    _mm256_min_ps, _mm256_packs_epi16, _mm256_packs_epi32, _mm256_packus_epi16, _mm256_packus_epi32,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_set1_ps, _mm256_setr_epi32,
    _mm256_storeu_si256,
};

use cm_macros::inlined;

use super::super::environment::{Avx2, Environment};
use crate::elem::{Elem, ElemType};

/// Floats that are narrowed at once.
pub(in crate::cpu) const FLOATS: usize = 32;

/// Floats of a register.
const EACH: usize = size_of::<__m256>() / size_of::<f32>();

/// Whether numbers `T` become `V` faster so.
pub(in crate::cpu) const fn suit<E: Environment, T: Elem, V: Elem>() -> bool {
    E::AVX2.is_some() && E::AVX512.is_none() && known::<T, V>()
}

/// Whether it is known here how floats `T` become `V`.
const fn known<T: Elem, V: Elem>() -> bool {
    matches!(T::TYPE, ElemType::F32)
        && matches!(V::TYPE, ElemType::U8 | ElemType::I8 | ElemType::U16 | ElemType::I16)
        && !V::FLOAT
}

/// `V::cast_from` of every float.
///
/// # Panics
/// If it is not known how, or there are not as many elements.
#[inlined]
pub(in crate::cpu) fn narrow<V: Elem>(floats: &[f32; FLOATS], to: &mut [V], _: Avx2) {
    assert!(known::<f32, V>() && to.len() == FLOATS, "bytes or words, as many as floats");
    let to = to.as_mut_ptr().cast::<__m256i>();
    // SAFETY: these instructions are part of AVX2, which the caller has proven. Four registers are loaded of
    // the floats. Elements are 1 or 2 bytes, so one or two are stored.
    unsafe {
        let (a, b) = (integers::<V>(floats, 0), integers::<V>(floats, 1));
        let (c, d) = (integers::<V>(floats, 2), integers::<V>(floats, 3));
        if V::TYPE == ElemType::U16 {
            // Packing takes halves of registers in turn.
            to.write_unaligned(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(a, b)));
            to.add(1).write_unaligned(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(c, d)));
            return;
        }
        let (low, high) = (_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        if V::TYPE == ElemType::I16 {
            to.write_unaligned(_mm256_permute4x64_epi64::<0b11_01_10_00>(low));
            to.add(1).write_unaligned(_mm256_permute4x64_epi64::<0b11_01_10_00>(high));
            return;
        }
        let bytes = if V::TYPE == ElemType::U8 {
            _mm256_packus_epi16(low, high)
        } else {
            _mm256_packs_epi16(low, high)
        };
        let in_order = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        _mm256_storeu_si256(to, in_order);
    }
}

/// Floats of register `k` as integers: those above the range of `V` its last number, those below it any
/// number below, as conversions give the least of all; what is no number 0, or below the range if that begins
/// with 0. Packing saturates the rest.
///
/// # Safety
/// The CPU has AVX2, and `k` is below 4.
#[inlined]
unsafe fn integers<V: Elem>(floats: &[f32; FLOATS], k: usize) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        let mut x = _mm256_loadu_ps(floats.as_ptr().add(k * EACH));
        if V::RANGE.0 < 0 {
            x = _mm256_and_ps(x, _mm256_cmp_ps::<_CMP_ORD_Q>(x, x));
        }
        // The second one if one of both is no number.
        _mm256_cvttps_epi32(_mm256_min_ps(_mm256_set1_ps(V::RANGE.1 as f32), x))
    }
}
