//! The function of each operation: the fastest that there is.

use cm_compiler::elem::ElemType;
use cm_compiler::ops::MapKind;

use super::elements::{self, Compute};
#[cfg(target_arch = "x86_64")]
use super::vectors;

/// Bytes behind the last register that functions may read.
#[cfg(target_arch = "x86_64")]
pub(super) const BEYOND: usize = vectors::BEYOND;
#[cfg(not(target_arch = "x86_64"))]
pub(super) const BEYOND: usize = 0;

/// See [`elements::map`].
pub(super) fn map(kind: MapKind, elem: ElemType) -> Option<Compute> {
    #[cfg(target_arch = "x86_64")]
    if let Some(run) = vectors::map(kind, elem) {
        return Some(run);
    }
    elements::map(kind, elem)
}

/// See [`elements::convert`].
pub(super) fn convert(from: ElemType, to: ElemType, saturate: bool) -> Option<Compute> {
    #[cfg(target_arch = "x86_64")]
    if let Some(run) = vectors::convert(from, to, saturate) {
        return Some(run);
    }
    elements::convert(from, to, saturate)
}

/// A shift of all elements by the same number, which is an [`Extent`](elements::Extent)'s `other` and below the bits of
/// an element; `None` if there is only the operation with a number for each.
pub(super) fn shift(kind: MapKind, elem: ElemType) -> Option<Compute> {
    #[cfg(target_arch = "x86_64")]
    return vectors::shift(kind, elem);
    #[cfg(not(target_arch = "x86_64"))]
    {
        _ = (kind, elem);
        None
    }
}

#[cfg(test)]
mod tests {
    use cm_compiler::ops::MapKind;

    use super::*;
    use crate::cpu::engine::elements::Extent;

    /// Elements for each operand: two rounds and a part of one of every operation.
    const COUNT: usize = 200;

    /// Bits of all kinds: small and large numbers, floats around the ends of integers, infinities, NaN.
    fn operand(elem: ElemType, seed: u64) -> Vec<u64> {
        let floats = [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.0,
            -1.0,
            2.5,
            127.5,
            255.0,
            255.9,
            256.0,
            -128.9,
            32767.9,
            32768.0,
            -32768.5,
            65535.9,
            65536.0,
            2147483520.0,
            2147483648.0,
            -2147483648.0,
            -2147483904.0,
            4.3e9,
            1e20,
            -1e20,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MIN_POSITIVE,
            1e-42,
        ];
        let integers: [u64; 13] =
            [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000];
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        (0..COUNT)
            .map(|_| {
                let pick = next() as usize;
                match (pick % 3, elem) {
                    (0, _) => next(),
                    (_, ElemType::F32) => floats[pick / 3 % floats.len()].to_bits().into(),
                    (_, ElemType::F64) => f64::from(floats[pick / 3 % floats.len()]).to_bits(),
                    (1, _) => integers[pick / 3 % integers.len()],
                    _ => integers[pick / 3 % integers.len()].wrapping_neg(),
                }
            })
            .collect()
    }

    /// A register, and room for a round beyond it.
    fn register(bits: &[u64], size: usize) -> Vec<u128> {
        let mut register = vec![0_u128; COUNT * 8 / 16 + 8];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut register);
        for (to, bits) in bytes.chunks_exact_mut(size).zip(bits) {
            to.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        register
    }

    /// The result of `run`; all NaNs are the same.
    fn result(
        run: Compute,
        operands: &[&Vec<u128>; 3],
        elem: ElemType,
        [count, other]: [usize; 2],
    ) -> Vec<u64> {
        let mut to = vec![0_u128; COUNT * 8 / 16 + 8];
        let from = operands.map(|operand| operand.as_ptr().cast());
        // SAFETY: each has room for more elements of 8 bytes than there are, and what may be read beyond them.
        unsafe { run(to.as_mut_ptr().cast(), from, Extent { count, other, threads: 1 }) };
        let bytes: &[u8] = bytemuck::cast_slice(&to);
        let size = elem.bytes();
        let end = (count * size).next_multiple_of(16);
        assert!(bytes[end..].iter().all(|byte| *byte == 0), "a round writes 16 bytes at most");
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        bytes[..count * size]
            .chunks_exact(size)
            .map(number)
            .map(|bits| match elem {
                ElemType::F32 if f32::from_bits(bits as u32).is_nan() => u64::MAX,
                ElemType::F64 if f64::from_bits(bits).is_nan() => u64::MAX,
                _ => bits,
            })
            .collect()
    }

    #[test]
    fn all_functions_of_an_operation_give_the_same() {
        let mut compared = 0;
        for (&kind, &elem) in
            MapKind::ALL.iter().flat_map(|kind| ElemType::ALL.iter().map(move |elem| (kind, elem)))
        {
            let (Some(fast), Some(plain)) = (map(kind, elem), elements::map(kind, elem)) else { continue };
            if std::ptr::fn_addr_eq(fast, plain) {
                continue;
            }
            compared += 1;
            let sizes = [if kind == MapKind::Merge { 2 } else { elem.bytes() }, elem.bytes(), elem.bytes()];
            for seed in 1..20 {
                let operands: [_; 3] =
                    std::array::from_fn(|n| register(&operand(elem, seed * 3 + n as u64), sizes[n]));
                let operands = operands.each_ref();
                for count in [1, 7, 16, COUNT] {
                    let of = |run| result(run, &operands, kind.outcome().elem(elem), [count, 0]);
                    assert_eq!(of(fast), of(plain), "{} of {elem}", kind.name());
                }
            }
        }
        assert_eq!(compared > 0, cfg!(target_arch = "x86_64"));
    }

    #[test]
    fn all_functions_of_a_conversion_give_the_same() {
        for (&from, &to) in
            ElemType::ALL.iter().flat_map(|from| ElemType::ALL.iter().map(move |to| (from, to)))
        {
            for saturate in [false, true] {
                let (Some(fast), Some(plain)) =
                    (convert(from, to, saturate), elements::convert(from, to, saturate))
                else {
                    continue;
                };
                for seed in 1..20 {
                    let operand = register(&operand(from, seed), from.bytes());
                    for count in [1, 7, 16, COUNT] {
                        let of = |run| result(run, &[&operand; 3], to, [count, 0]);
                        assert_eq!(of(fast), of(plain), "{from} to {to}, saturated: {saturate}");
                    }
                }
            }
        }
    }

    #[test]
    fn shifts_by_one_number_are_shifts_by_it_each() {
        for kind in [MapKind::Shl, MapKind::Shr] {
            for &elem in ElemType::INTEGERS {
                let (Some(fast), Some(plain)) = (shift(kind, elem), elements::map(kind, elem)) else {
                    continue;
                };
                let x = register(&operand(elem, 5), elem.bytes());
                for number in 0..elem.bytes() * 8 {
                    let by = register(&[number as u64; COUNT], elem.bytes());
                    let of = |run| result(run, &[&x, &by, &by], elem, [COUNT, number]);
                    assert_eq!(of(fast), of(plain), "{} of {elem} by {number}", kind.name());
                }
            }
        }
    }
}
