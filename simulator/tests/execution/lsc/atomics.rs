//! Atomic operations.

use cm_simulator::generation::Generation;
use cm_simulator::memory::Block;

use super::*;
use crate::stage::ADDRESS;

/// A number of this many bytes, read as signed.
fn signed(bits: u64, bytes: usize) -> i64 {
    (bits << (64 - bytes * 8)).cast_signed() >> (64 - bytes * 8)
}

/// A half.
fn half(bits: u64) -> f64 {
    let (exponent, mantissa) = ((bits >> 10 & 31) as i32, (bits & 1023) as f64);
    let magnitude = match exponent {
        0 => mantissa * 2_f64.powi(-24),
        _ => (1024.0 + mantissa) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 & 1 == 0 { magnitude } else { -magnitude }
}

/// The nearest half for a number in its range, ties to even.
fn nearest_half(value: f64) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << 15;
    let distance = |bits: &u64| ((half(*bits) - value.abs()).abs(), bits & 1);
    let nearest = (0..0x7c00).min_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap());
    nearest.unwrap() | sign
}

/// The float with these bits, of this many bytes.
fn float(bits: u64, bytes: usize) -> f64 {
    match bytes {
        2 => half(bits),
        4 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// The bits of a sum.
fn bits(value: f64, bytes: usize) -> u64 {
    match bytes {
        2 => nearest_half(value),
        4 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

type Meaning = fn(u64, u64, u64, usize) -> u64;

/// Operation numbers, the number of sources, and the new value.
const INTEGERS: [(u32, usize, Meaning); 14] = [
    (0x08, 0, |old, _, _, _| old.wrapping_add(1)),
    (0x09, 0, |old, _, _, _| old.wrapping_sub(1)),
    (0x0a, 0, |old, _, _, _| old),
    (0x0b, 1, |_, a, _, _| a),
    (0x0c, 1, |old, a, _, _| old.wrapping_add(a)),
    (0x0d, 1, |old, a, _, _| old.wrapping_sub(a)),
    (0x0e, 1, |old, a, _, n| if signed(a, n) < signed(old, n) { a } else { old }),
    (0x0f, 1, |old, a, _, n| if signed(a, n) > signed(old, n) { a } else { old }),
    (0x10, 1, |old, a, _, _| if a < old { a } else { old }),
    (0x11, 1, |old, a, _, _| if a > old { a } else { old }),
    (0x12, 2, |old, a, b, _| if a == old { b } else { old }),
    (0x18, 1, |old, a, _, _| old & a),
    (0x19, 1, |old, a, _, _| old | a),
    (0x1a, 1, |old, a, _, _| old ^ a),
];

const FLOATS: [(u32, usize, Meaning); 5] = [
    (0x13, 1, |old, a, _, n| bits(float(old, n) + float(a, n), n)),
    (0x14, 1, |old, a, _, n| bits(float(old, n) - float(a, n), n)),
    (0x15, 1, |old, a, _, n| if float(a, n) < float(old, n) { a } else { old }),
    (0x16, 1, |old, a, _, n| if float(a, n) > float(old, n) { a } else { old }),
    (0x17, 2, |old, a, b, n| if float(a, n) == float(old, n) { b } else { old }),
];

#[test]
fn each_operation_changes_memory_and_gives_what_was_there() {
    for generation in GENERATIONS {
        for (size, memory, register) in [(2, 4, 4), (3, 8, 8), (5, 2, 4)] {
            let cut = |value: u64| if memory == 8 { value } else { value & ((1 << (memory * 8)) - 1) };
            let whole = [0, 1, 5, 1 << (memory * 8 - 1), u64::MAX, 77, 0x7f, 100].map(cut);
            let (a, b) = ([5, 1, 5, 1, 0, 77, u64::MAX, 1000].map(cut), [11, 12, 13, 14, 15, 16, 17, 18]);
            let of = |values: [f64; 8]| values.map(|value| bits(value, memory));
            let x = of([1.0, -2.5, 0.0, 1e-3, 100.0, 3.0, -0.0, 8.5]);
            let (y, z) = (of([0.1, 7.25, -0.0, 1e-3, 33.3, 3.0, 5.0, -8.5]), of([9.0; 8]));
            let cases =
                INTEGERS.iter().map(|row| (row, whole, a, b)).chain(FLOATS.iter().map(|row| (row, x, y, z)));
            for ((operation, sources, meaning), old, a, b) in cases {
                let mut begin = vec![];
                for old in old {
                    begin.extend(&old.to_le_bytes()[..memory]);
                }
                let mut stage = Stage::of(generation);
                assert!(stage.memory.span().write(0, &begin));
                stage.mask = 0xf7;
                let mut lanes = vec![0; slot(generation, 8, 8)];
                let mut data = vec![0; slot(generation, 8, register) * 2];
                for lane in 0..8 {
                    let address = ADDRESS + (lane * memory) as u64;
                    lanes[lane * 8..][..8].copy_from_slice(&address.to_le_bytes());
                    data[lane * register..][..memory].copy_from_slice(&a[lane].to_le_bytes()[..memory]);
                    let second = slot(generation, 8, register) + lane * register;
                    data[second..][..memory].copy_from_slice(&b[lane].to_le_bytes()[..memory]);
                }
                let of_registers = |bytes: usize| bytes / generation.register_bytes();
                let length = of_registers(slot(generation, 8, register));
                let stage = stage.with(10, &lanes).with(20, &data);
                let message =
                    Descriptor(A64 | size << 9 | operation).lengths(of_registers(lanes.len()), length);
                let second =
                    if *sources == 0 { "null:0".into() } else { format!("r20:{}", sources * length) };
                let registers = stage.run(&format!("send.ugm (8|M0) r40 r10 {second} 0x0 {message:#x}"));
                for lane in 0..8 {
                    let is_on = lane != 3;
                    let found =
                        number(&registers[40 * generation.register_bytes() + lane * register..][..register]);
                    assert_eq!(found, if is_on { old[lane] } else { 0 }, "{operation:#x} {memory} {lane}");
                    let new =
                        if is_on { cut(meaning(old[lane], a[lane], b[lane], memory)) } else { old[lane] };
                    let found = number(&stage.memory.to_vec()[lane * memory..][..memory]);
                    assert_eq!(found, new, "{operation:#x} {memory} {lane}");
                }
            }
        }
    }
}

#[test]
fn shared_memory_and_buffers_have_atomics_too() {
    let generation = Generation::XeHpg;
    let lanes: Vec<u8> = (0..8_u32).flat_map(|lane| (lane / 4 * 32).to_le_bytes()).collect();
    let ones: Vec<u8> = (0..8_u32).flat_map(|_| 3_u32.to_le_bytes()).collect();
    let block = Block::filled(32, 1);
    let add = Descriptor(A32 | 2 << 9 | 0x0c).lengths(1, 1);
    let mut stage = Stage::of(generation).with(10, &lanes).with(20, &ones).with_buffer(3, &block);
    stage.shared = Some(block.clone());
    for (sent, after) in [("send.slm", 12), ("send.ugm", 24)] {
        let (extended, descriptor) = if sent == "send.slm" { (0, add) } else { (3 << 24, add | BTI) };
        let registers = stage.run(&format!("{sent} (8|M0) r40 r10 r20:1 {extended:#x} {descriptor:#x}"));
        assert_eq!(number(&block.to_vec()[..4]), 0x0101_0101 + after);
        // Out of bounds, nothing is changed and the result is 0.
        assert_eq!(registers[40 * 32 + 16..][..16], [0; 16]);
    }
}

#[test]
fn sizes_and_alignments_are_checked() {
    let stage = Stage::of(Generation::XeHpc).with(10, &(ADDRESS + 1).to_le_bytes());
    for (bits, expected) in [
        (4 << 9, "not supported: an atomic operation on data of this size"),
        (6 << 9, "not supported: an atomic operation on data of this size"),
        (2 << 9 | 1 << 12, "not supported: an atomic operation on data of this size"),
        (2 << 9 | 4 << 17, "caching 0x8"),
        (2 << 9, "is not aligned to 4 bytes"),
    ] {
        let message = Descriptor(A64 | bits | 0x08).lengths(1, 1);
        let fault = stage.fault(&format!("send.ugm (1|M0) r40 r10 null:0 0x0 {message:#x}"));
        assert!(fault.why.contains(expected), "{bits:#x}: {}", fault.why);
    }
}
