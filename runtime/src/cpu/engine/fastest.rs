//! Selects the fastest function for each operation that the CPU supports.

use cm_compiler::elem::ElemType;
use cm_compiler::ops::MapKind;

use super::across;
use super::elements::{self, Compute};
#[cfg(target_arch = "x86_64")]
use super::{vectors, wide};
use crate::cpu::isa::Isa;

/// The functions for an instruction set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fastest(pub(super) Isa);

/// Looks up a function in the table of the instruction set: `row!(self, map(kind, elem))`.
#[cfg(target_arch = "x86_64")]
macro_rules! row {
    ($fastest:ident, $table:ident ($($of:expr),*)) => {
        match $fastest.0.avx2() {
            Some(_) => wide::$table($($of),*),
            None => vectors::$table($($of),*),
        }
    };
}

/// Other CPUs have no tables.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! row {
    ($fastest:ident, $table:ident ($($of:expr),*)) => {{
        _ = ($fastest.0, $($of),*);
        None::<Compute>
    }};
}

impl Fastest {
    /// See [`elements::map`].
    pub(super) fn map(self, kind: MapKind, elem: ElemType) -> Option<Compute> {
        row!(self, map(kind, elem)).or_else(|| elements::map(kind, elem))
    }

    /// See [`elements::convert`].
    pub(super) fn convert(self, from: ElemType, to: ElemType, saturate: bool) -> Option<Compute> {
        row!(self, convert(from, to, saturate)).or_else(|| elements::convert(from, to, saturate))
    }

    /// A shift of all elements by the same count, which is `other` of the [`Extent`](elements::Extent) and
    /// less than the bits of an element. `None` if there is only the operation with a count for each element.
    pub(super) fn shift(self, kind: MapKind, elem: ElemType) -> Option<Compute> {
        row!(self, shift(kind, elem))
    }

    /// See [`across::stored`].
    pub(super) fn stored(self, size: usize) -> Compute {
        row!(self, stored(size)).unwrap_or_else(|| across::stored(size))
    }

    /// See [`elements::not`].
    pub(super) fn not(self) -> Compute {
        row!(self, not()).unwrap_or(elements::not)
    }

    /// See [`elements::some`].
    pub(super) fn some(self, elem: ElemType) -> Option<Compute> {
        row!(self, some(elem)).or_else(|| elements::some(elem))
    }
}

#[cfg(test)]
mod tests {
    use cm_compiler::ops::MapKind;

    use super::*;
    use crate::cpu::engine::elements::Extent;
    use crate::cpu::engine::rows::BEYOND;

    /// The functions for each instruction set that this CPU supports.
    fn all() -> impl Iterator<Item = Fastest> {
        Isa::detect().into_iter().flatten().map(Fastest)
    }

    /// Elements of each operand: enough for two full rounds and a partial one of every operation.
    const COUNT: usize = 200;

    /// Bits of all kinds: small and large numbers, floats around the limits of integers, infinities, NaN.
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

    /// A register, followed by space for one more round.
    fn register(bits: &[u64], size: usize) -> Vec<u128> {
        let mut register = vec![0_u128; (COUNT * 8 + BEYOND) / 16];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut register);
        for (to, bits) in bytes.chunks_exact_mut(size).zip(bits) {
            to.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        register
    }

    /// The result of `run`, with all NaNs replaced by the same one.
    fn result(
        run: Compute,
        operands: &[&Vec<u128>; 3],
        elem: ElemType,
        [count, other]: [usize; 2],
    ) -> Vec<u64> {
        let mut to = vec![0_u128; (COUNT * 8 + BEYOND) / 16];
        let from = operands.map(|operand| operand.as_ptr().cast());
        // SAFETY: each buffer has space for more 8-byte elements than there are, including those that may be
        // read beyond the end.
        unsafe { run(to.as_mut_ptr().cast(), from, Extent { count, other, threads: 1 }) };
        let bytes: &[u8] = bytemuck::cast_slice(&to);
        let size = elem.bytes();
        let end = (count * size).next_multiple_of(32);
        assert!(bytes[end..].iter().all(|byte| *byte == 0), "a round writes 32 bytes at most");
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
        let kinds =
            || MapKind::ALL.iter().flat_map(|kind| ElemType::ALL.iter().map(move |elem| (kind, elem)));
        for (fastest, (&kind, &elem)) in all().flat_map(|fastest| kinds().map(move |of| (fastest, of))) {
            let (Some(fast), Some(plain)) = (fastest.map(kind, elem), elements::map(kind, elem)) else {
                continue;
            };
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
        let types = || ElemType::ALL.iter().flat_map(|from| ElemType::ALL.iter().map(move |to| (from, to)));
        for (fastest, (&from, &to)) in all().flat_map(|fastest| types().map(move |of| (fastest, of))) {
            for saturate in [false, true] {
                let (Some(fast), Some(plain)) =
                    (fastest.convert(from, to, saturate), elements::convert(from, to, saturate))
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
    fn all_functions_of_a_test_give_the_same() {
        for (fastest, &elem) in
            all().flat_map(|fastest| ElemType::ALL.iter().map(move |elem| (fastest, elem)))
        {
            let (Some(fast), Some(plain)) = (fastest.some(elem), elements::some(elem)) else { continue };
            for seed in 1..20 {
                let operand = register(&operand(elem, seed), elem.bytes());
                for count in [1, 7, 16, COUNT] {
                    let of = |run| result(run, &[&operand; 3], ElemType::U8, [count, 0]);
                    assert_eq!(of(fast), of(plain), "{elem}");
                }
            }
        }
    }

    #[test]
    fn all_functions_of_the_other_condition_give_the_same() {
        let bits: Vec<u64> = operand(ElemType::U8, 3).into_iter().map(|bits| bits & 1).collect();
        let x = register(&bits, 1);
        let of = |run| result(run, &[&x; 3], ElemType::U8, [COUNT, 0]);
        for fastest in all() {
            assert_eq!(of(fastest.not()), of(elements::not));
        }
    }

    #[test]
    fn all_functions_of_a_store_give_the_same() {
        const THREADS: usize = 64;
        let sizes = [(1, ElemType::U8), (2, ElemType::U16), (4, ElemType::U32), (8, ElemType::U64)];
        for (fastest, (size, elem)) in all().flat_map(|fastest| sizes.map(|size| (fastest, size))) {
            for seed in 1..20 {
                let [x, before] = [1, 2].map(|n| register(&operand(elem, seed * 3 + n), size));
                let mask: Vec<u64> = operand(ElemType::U64, seed).into_iter().map(|bits| bits & 1).collect();
                let mask = register(&mask, 1);
                let [fast, plain] = [fastest.stored(size), across::stored(size)].map(|run| {
                    let mut to = before.clone();
                    let from = [&mask, &x, &x].map(|operand| operand.as_ptr().cast());
                    // SAFETY: each buffer has space for more 8-byte elements than there are threads.
                    unsafe {
                        run(to.as_mut_ptr().cast(), from, Extent { count: 1, other: 0, threads: THREADS });
                    };
                    to
                });
                assert_eq!(fast, plain, "{size} bytes");
                assert_ne!(fast, before);
            }
        }
    }

    #[test]
    fn shifts_by_one_number_are_shifts_by_it_each() {
        for (fastest, kind) in
            all().flat_map(|fastest| [MapKind::Shl, MapKind::Shr].map(|kind| (fastest, kind)))
        {
            for &elem in ElemType::INTEGERS {
                let (Some(fast), Some(plain)) = (fastest.shift(kind, elem), elements::map(kind, elem)) else {
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
