//! Integer instructions, compared with their meaning channel by channel.

use std::sync::Arc;

use crate::stage::{GEN9, Stage, bytes, dwords, program};

/// Numbers at the limits of ranges and in between.
const VALUES: [i64; 16] = [
    0,
    1,
    -1,
    2,
    7,
    -8,
    127,
    -128,
    255,
    32767,
    -32768,
    65535,
    0x7fff_ffff,
    -0x8000_0000,
    0x1234_5678,
    -0x1234_5678,
];

/// The name of a type, its bits, and whether it is signed.
type Type = (&'static str, u32, bool);

const TYPES: [Type; 6] = [
    ("ub", 8, false),
    ("b", 8, true),
    ("uw", 16, false),
    ("w", 16, true),
    ("ud", 32, false),
    ("d", 32, true),
];

/// A number wrapped to a type.
fn wrapped(value: i64, (_, bits, signed): Type) -> i64 {
    let shift = 64 - bits;
    if signed { value << shift >> shift } else { ((value << shift).cast_unsigned() >> shift).cast_signed() }
}

fn saturated(value: i64, (_, bits, signed): Type) -> i64 {
    let (low, high) = if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    value.clamp(low, high)
}

/// The bytes of numbers of a type, one for each channel.
fn packed(values: &[i64], bits: u32) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()[..bits as usize / 8].to_vec()).collect()
}

type Meaning = fn(i64, i64) -> i64;

/// Instructions whose results are those of unlimited integers, wrapped to the destination.
const COMPUTED: [(&str, Meaning); 6] = [
    ("add", |a, b| a + b),
    ("mul", |a, b| a * b),
    ("avg", |a, b| (a + b + 1) >> 1),
    ("and", |a, b| a & b),
    ("or", |a, b| a | b),
    ("xor", |a, b| a ^ b),
];

fn pairs() -> Vec<(i64, i64)> {
    VALUES.iter().flat_map(|a| VALUES.iter().map(move |b| (*a, *b))).collect()
}

#[test]
fn results_are_those_of_integers_cut_to_the_destination() {
    for (opcode, meaning) in COMPUTED {
        for a in TYPES {
            for b in TYPES.into_iter().filter(|b| opcode != "mul" || a.1 + b.1 < 64) {
                for to in TYPES {
                    for saturates in [false, true] {
                        if saturates && matches!(opcode, "and" | "or" | "xor") {
                            continue;
                        }
                        let name = if saturates { "(sat)" } else { "" };
                        let text = format!(
                            "{opcode} (16|M0) {name}r30.0<1>:{} r10.0<8;8,1>:{} r12.0<8;8,1>:{}",
                            to.0, a.0, b.0
                        );
                        check(&text, (a, b, to), |x, y| {
                            let exact = meaning(x, y);
                            if saturates { saturated(exact, to) } else { wrapped(exact, to) }
                        });
                    }
                }
            }
        }
    }
}

/// Runs an instruction of sixteen channels on all pairs of numbers.
fn check(text: &str, (a, b, to): (Type, Type, Type), meaning: impl Fn(i64, i64) -> i64) {
    let program = program(text, GEN9);
    for pairs in pairs().chunks(16) {
        let left: Vec<i64> = pairs.iter().map(|(x, _)| wrapped(*x, a)).collect();
        let right: Vec<i64> = pairs.iter().map(|(_, y)| wrapped(*y, b)).collect();
        let stage = Stage::new().with(10, &packed(&left, a.1)).with(12, &packed(&right, b.1));
        let registers = stage.run_program(Arc::clone(&program));
        let expected: Vec<i64> = left.iter().zip(&right).map(|(x, y)| meaning(*x, *y)).collect();
        let bytes = packed(&expected, to.1);
        assert_eq!(registers[30 * 32..][..bytes.len()], bytes, "{text}: {left:?} {right:?}");
    }
}

#[test]
fn shifts_take_the_count_modulo_the_width() {
    let d = ("d", 32, true);
    let ud = ("ud", 32, false);
    type Shift = (&'static str, Type, Meaning);
    let shifts: [Shift; 3] = [
        ("shl", d, |a, b| a << (b & 31)),
        ("shr", ud, |a, b| a >> (b & 31)),
        ("asr", d, |a, b| a >> (b & 31)),
    ];
    for (opcode, ty, meaning) in shifts {
        let text = format!("{opcode} (16|M0) r30.0<1>:{0} r10.0<8;8,1>:{0} r12.0<8;8,1>:ud", ty.0);
        check(&text, (ty, ud, ty), |a, b| wrapped(meaning(a, b), ty));
    }
}

#[test]
fn qwords_have_all_their_bits() {
    let values = [1_u64 << 63 | 5, 0xffff_ffff_0000_0001, 3, u64::MAX];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let stage = Stage::new().with(10, &bytes);
    type Case = (&'static str, fn(u64) -> u64);
    let cases: [Case; 5] = [
        ("add (4|M0) r30.0<1>:uq r10.0<4;4,1>:uq 0x7:uw", |a| a.wrapping_add(7)),
        ("shl (4|M0) r30.0<1>:uq r10.0<4;4,1>:uq 0x21:uw", |a| a << 33),
        ("shr (4|M0) r30.0<1>:uq r10.0<4;4,1>:uq 0x21:uw", |a| a >> 33),
        ("asr (4|M0) r30.0<1>:q r10.0<4;4,1>:q 0x21:uw", |a| (a.cast_signed() >> 33).cast_unsigned()),
        ("mov (4|M0) (sat)r30.0<1>:ud r10.0<4;4,1>:uq", |a| a.min(u32::MAX.into())),
    ];
    for (text, meaning) in cases {
        let registers = stage.run(text);
        let size = if text.contains("r30.0<1>:ud") { 4 } else { 8 };
        let expected: Vec<u8> =
            values.iter().flat_map(|value| meaning(*value).to_le_bytes()[..size].to_vec()).collect();
        assert_eq!(registers[30 * 32..][..expected.len()], expected, "{text}");
    }
}

#[test]
fn bits_are_counted_and_moved() {
    let values: [u32; 8] = [0, 1, 0x8000_0000, u32::MAX, 0x00f0_0000, 0x1234_5678, 0x7fff_ffff, 6];
    let stage = Stage::new().with(10, &bytes(&values));
    let none = u32::MAX;
    type Case = (&'static str, fn(u32) -> u32);
    let cases: [Case; 7] = [
        ("bfrev (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud", u32::reverse_bits),
        ("cbit (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud", u32::count_ones),
        ("lzd (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud", u32::leading_zeros),
        ("not (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud", |a| !a),
        ("bfe (8|M0) r30.0<1>:ud r12.0<0;1,0>:ud r13.0<0;1,0>:ud r10.0<8;8,1>:ud", |a| a >> 4 & 0xff),
        ("bfe (8|M0) r30.0<1>:d r12.0<0;1,0>:d r13.0<0;1,0>:d r10.0<8;8,1>:d", |a| {
            (a << 20).cast_signed().wrapping_shr(24).cast_unsigned()
        }),
        ("bfi1 (8|M0) r30.0<1>:ud r12.0<0;1,0>:ud r13.0<0;1,0>:ud", |_| 0xff0),
    ];
    let stage = stage.with(12, &bytes(&[8])).with(13, &bytes(&[4]));
    for (text, meaning) in cases {
        assert_eq!(dwords(&stage.run(text), 30, 8), values.map(meaning), "{text}");
    }
    let found = |text: &str| dwords(&stage.run(text), 30, 8);
    let first = values.map(|a| if a == 0 { none } else { a.trailing_zeros() });
    assert_eq!(found("fbl (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud"), first);
    let signed = values.map(|a| {
        let a = if a.cast_signed() < 0 { !a } else { a };
        if a == 0 { none } else { a.leading_zeros() }
    });
    assert_eq!(found("fbh (8|M0) r30.0<1>:ud r10.0<8;8,1>:d"), signed);
}

#[test]
fn carries_go_to_the_accumulator() {
    let stage = Stage::new().with(10, &bytes(&[u32::MAX, 1, 5])).with(11, &bytes(&[1, 1, 7]));
    let text = |opcode: &str| {
        format!(
            "{opcode} (8|M0) r30.0<1>:ud r10.0<8;8,1>:ud r11.0<8;8,1>:ud {{AccWrEn}}
             mov (8|M0) r31.0<1>:ud acc0.0<8;8,1>:ud"
        )
    };
    let added = stage.run(&text("addc"));
    assert_eq!((dwords(&added, 30, 3), dwords(&added, 31, 3)), (vec![0, 2, 12], vec![1, 0, 0]));
    let subtracted = stage.run(&text("subb"));
    let differences = vec![u32::MAX - 1, 0, u32::MAX - 1];
    assert_eq!((dwords(&subtracted, 30, 3), dwords(&subtracted, 31, 3)), (differences, vec![0, 0, 1]));
}

#[test]
fn a_product_of_two_instructions_has_its_upper_half() {
    let (a, b) = ([0x1234_5678, u32::MAX, 0x8000_0000, 3], [0x9abc_def0, u32::MAX, 0x8000_0000, 5]);
    let stage = Stage::new().with(10, &bytes(&a)).with(11, &bytes(&b));
    for signed in [false, true] {
        let ty = if signed { "d" } else { "ud" };
        let registers = stage.run(&format!(
            "mul (8|M0) acc0.0<1>:{ty} r10.0<8;8,1>:{ty} r11.0<16;8,2>:uw
             mach (8|M0) r30.0<1>:{ty} r10.0<8;8,1>:{ty} r11.0<8;8,1>:{ty} {{AccWrEn}}
             mov (8|M0) r31.0<1>:ud acc0.0<8;8,1>:ud"
        ));
        for lane in 0..4 {
            let product = if signed {
                (i64::from(a[lane].cast_signed()) * i64::from(b[lane].cast_signed())).cast_unsigned()
            } else {
                u64::from(a[lane]) * u64::from(b[lane])
            };
            let halves = [dwords(&registers, 31, 4)[lane], dwords(&registers, 30, 4)[lane]];
            assert_eq!(u64::from(halves[0]) | u64::from(halves[1]) << 32, product, "{ty} {lane}");
        }
    }
}

#[test]
fn packed_vectors_are_words() {
    let registers = Stage::new().run(
        "mov (8|M0) r30.0<1>:w 0x76543210:v
         mov (8|M0) r31.0<1>:w 0xFEDCBA98:v
         mov (8|M0) r32.0<1>:uw 0xFEDCBA98:uv
         mov (2|M0) r33.0<1>:d 0x201:v
         mov (4|M0) r34.0<1>:f 0x48403000:vf",
    );
    let words = |register: usize, count: usize| -> Vec<i16> {
        registers[register * 32..][..count * 2]
            .chunks_exact(2)
            .map(|bytes| i16::from_le_bytes(bytes.try_into().unwrap()))
            .collect()
    };
    assert_eq!(words(30, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(words(31, 8), [-8, -7, -6, -5, -4, -3, -2, -1]);
    assert_eq!(words(32, 8), [8, 9, 10, 11, 12, 13, 14, 15]);
    // Intel's compiler writes the numbers of dwords to every second element.
    assert_eq!(dwords(&registers, 33, 2), [1, 2]);
    assert_eq!(dwords(&registers, 34, 4), [0.0_f32, 1.0, 2.0, 3.0].map(f32::to_bits));
}

#[test]
fn regions_step_as_they_say() {
    let values: Vec<u32> = (0..64).collect();
    let stage = Stage::new().with(10, &bytes(&values));
    let taken = |operand: &str| dwords(&stage.run(&format!("mov (8|M0) r30.0<1>:ud {operand}:ud")), 30, 8);
    assert_eq!(taken("r10.0<8;8,1>"), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(taken("r10.3<0;1,0>"), [3; 8]);
    assert_eq!(taken("r10.0<16;4,2>"), [0, 2, 4, 6, 16, 18, 20, 22]);
    assert_eq!(taken("r10.1<4;2,1>"), [1, 2, 5, 6, 9, 10, 13, 14]);
    let indirect = "mov (1|M0) a0.0<1>:uw 0x148:uw
                    mov (1|M0) a0.1<1>:uw 0x160:uw
                    mov (8|M0) r30.0<1>:ud r[a0.0,4]<8;8,1>:ud
                    mov (8|M0) r31.0<1>:ud r[a0.0]<4,1>:ud
                    mov (4|M0) r[a0.1,0x2C0]<2>:ud 0x9:ud";
    let registers = stage.run(indirect);
    assert_eq!(dwords(&registers, 30, 8), [3, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!(dwords(&registers, 31, 8), [2, 3, 4, 5, 8, 9, 10, 11]);
    assert_eq!(dwords(&registers, 33, 8), [9, 0, 9, 0, 9, 0, 9, 0]);
}
