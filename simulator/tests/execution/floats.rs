//! Float instructions, compared with their meaning channel by channel.

use std::sync::Arc;

use crate::stage::{GEN9, Stage, bytes, dwords, program};

const VALUES: [f32; 12] =
    [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, -2.5, 255.6, 1e-40, 3e38, f32::INFINITY, f32::NEG_INFINITY];

fn floats(values: &[f32]) -> Vec<u8> {
    bytes(&values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
}

/// Runs a text of eight channels on r10, r11 and r12, and compares with the meaning for each triple of
/// numbers.
fn check(text: &str, meaning: impl Fn(f32, f32, f32) -> f32) {
    let triples: Vec<[f32; 3]> = VALUES
        .iter()
        .flat_map(|a| VALUES.iter().flat_map(move |b| [0.25, -1e-40, 7.0].map(|c| [*a, *b, c])))
        .collect();
    let program = program(text, GEN9);
    for triples in triples.chunks_exact(8) {
        let column = |n: usize| triples.iter().map(|triple| triple[n]).collect::<Vec<_>>();
        let stage = (0..3).fold(Stage::new(), |stage, n| stage.with(10 + n, &floats(&column(n))));
        let registers = stage.run_program(Arc::clone(&program));
        for (is, [a, b, c]) in dwords(&registers, 30, 8).into_iter().zip(triples) {
            let (is, expected) = (f32::from_bits(is), meaning(*a, *b, *c));
            let same = is.to_bits() == expected.to_bits() || is.is_nan() && expected.is_nan();
            assert!(same, "{text}: {a} {b} {c}: {is} instead of {expected}");
        }
    }
}

type Meaning = fn(f32, f32, f32) -> f32;

#[test]
fn results_are_those_of_ieee() {
    let cases: [(&str, Meaning); 14] = [
        ("add (8|M0) r30.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f", |a, b, _| a + b),
        ("add (8|M0) r30.0<1>:f r10.0<8;8,1>:f -r11.0<8;8,1>:f", |a, b, _| a - b),
        ("mul (8|M0) r30.0<1>:f (abs)r10.0<8;8,1>:f r11.0<8;8,1>:f", |a, b, _| a.abs() * b),
        ("mad (8|M0) r30.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f r12.0<8;8,1>:f", |a, b, c| b.mul_add(c, a)),
        ("add (8|M0) (sat)r30.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f", |a, b, _| {
            let sum = a + b;
            if sum > 0.0 { sum.min(1.0) } else { 0.0 }
        }),
        ("rndd (8|M0) r30.0<1>:f r10.0<8;8,1>:f", |a, _, _| a.floor()),
        ("rndu (8|M0) r30.0<1>:f r10.0<8;8,1>:f", |a, _, _| a.ceil()),
        ("rndz (8|M0) r30.0<1>:f r10.0<8;8,1>:f", |a, _, _| a.trunc()),
        ("rnde (8|M0) r30.0<1>:f r10.0<8;8,1>:f", |a, _, _| a.round_ties_even()),
        ("math.inv (8|M0) r30.0<1>:f r10.0<8;8,1>:f null<0;1,0>:f", |a, _, _| 1.0 / a),
        ("math.fdiv (8|M0) r30.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f", |a, b, _| a / b),
        ("math.sqt (8|M0) r30.0<1>:f r10.0<8;8,1>:f null<0;1,0>:f", |a, _, _| a.sqrt()),
        ("sel (8|M0) (lt)f0.0 r30.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f", |a, b, _| if a < b { a } else { b }),
        (
            "sel (8|M0) (ge)f0.0 r30.0<1>:f r10.0<8;8,1>:f r11.0<8;8,1>:f",
            |a, b, _| if a >= b { a } else { b },
        ),
    ];
    for (text, meaning) in cases {
        check(text, meaning);
    }
}

#[test]
fn denormals_are_zeros_unless_they_are_kept() {
    let stage = Stage::new().with(10, &floats(&[1e-40, -1e-40, 1.5e-38, 1.0, 0.0, 0.0, 0.0, 0.0]));
    let text = "mov (1|M0) cr0.0<1>:ud 0x0:ud
                mul (8|M0) r30.0<1>:f r10.0<8;8,1>:f 0x3F800000:f
                mul (8|M0) r31.0<1>:f r10.0<8;8,1>:f 0x3F000000:f";
    let registers = stage.run(text);
    assert_eq!(dwords(&registers, 30, 4), [0.0, -0.0, 1.5e-38, 1.0].map(f32::to_bits));
    assert_eq!(dwords(&registers, 31, 4), [0.0, -0.0, 0.0, 0.5].map(f32::to_bits));
}

/// A stage with halves in r10 and r11.
fn stage_of_halves(a: &[u16], b: &[u16]) -> Stage {
    let pack = |values: &[u16]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    Stage::new().with(10, &pack(a)).with(11, &pack(b))
}

/// The first halves of r30.
fn halves<const N: usize>(registers: &[u8]) -> [u16; N] {
    std::array::from_fn(|lane| u16::from_le_bytes([0, 1].map(|n| registers[30 * 32 + lane * 2 + n])))
}

#[test]
fn fractions_are_less_than_one() {
    // Rounding the exact fractions of tiny negative numbers gives 1.
    let stage = stage_of_halves(&[0x8001, 0x9000, 0x3e00, 0xbe00, 0x0000, 0x7e00], &[]);
    let registers = stage.run("frc (8|M0) r30.0<1>:hf r10.0<8;8,1>:hf");
    assert_eq!(halves(&registers), [0x3bff, 0x3bff, 0x3800, 0x3800, 0x0000, 0x7e00]);
    let stage = Stage::new().with(10, &floats(&[-1e-10, 1.25, -0.25, 3.0]));
    let registers = stage.run("frc (4|M0) r30.0<1>:f r10.0<4;4,1>:f");
    assert_eq!(dwords(&registers, 30, 4), [1.0_f32.next_down(), 0.25, 0.75, 0.0].map(f32::to_bits));
}

#[test]
fn selected_denormals_are_kept() {
    let none = "mov (1|M0) cr0.0<1>:ud 0x0:ud
                mov (1|M0) f0.0<1>:ud 0x5:ud";
    let stage = stage_of_halves(&[0x0001, 0x0002, 0x3c00], &[0x8003, 0x8004, 0x4000]);
    let registers =
        stage.run(&format!("{none}\n(f0.0) sel (4|M0) r30.0<1>:hf r10.0<4;4,1>:hf r11.0<4;4,1>:hf"));
    assert_eq!(halves(&registers), [0x0001, 0x8004, 0x3c00]);
    let doubles = |bits: [u64; 2]| bits.map(u64::to_le_bytes).concat();
    let stage = Stage::new().with(10, &doubles([1, 2])).with(11, &doubles([3, 4]));
    let registers =
        stage.run(&format!("{none}\n(f0.0) sel (2|M0) r30.0<1>:df r10.0<2;2,1>:df r11.0<2;2,1>:df"));
    assert_eq!(dwords(&registers, 30, 4), [1, 0, 4, 0]);
}

#[test]
fn halves_in_the_accumulator_are_added() {
    let stage = stage_of_halves(&[0x3c00, 0x4000, 0x4200, 0x4400], &[0x4000; 4]);
    let registers = stage.run(
        "mul (4|M0) r31.0<1>:hf r10.0<4;4,1>:hf r11.0<4;4,1>:hf {AccWrEn}
         mac (4|M0) r30.0<1>:hf r10.0<4;4,1>:hf r11.0<4;4,1>:hf",
    );
    assert_eq!(halves(&registers), [0x4400, 0x4800, 0x4a00, 0x4c00]);
}

#[test]
fn floats_become_integers_toward_zero_within_the_range() {
    let values = [1.9_f32, -1.9, 300.0, -300.0, 1e20, -1e20, f32::NAN, f32::INFINITY];
    let stage = Stage::new().with(10, &floats(&values));
    let move_to = |ty: &str| stage.run(&format!("mov (8|M0) r30.0<1>:{ty} r10.0<8;8,1>:f"));
    assert_eq!(move_to("ub")[30 * 32..][..8], values.map(|value| value as u8));
    assert_eq!(move_to("b")[30 * 32..][..8], values.map(|value| (value as i8).cast_unsigned()));
    assert_eq!(dwords(&move_to("ud"), 30, 8), values.map(|value| value as u32));
    assert_eq!(dwords(&move_to("d"), 30, 8), values.map(|value| (value as i32).cast_unsigned()));
}

#[test]
fn comparisons_set_flags_and_numbers() {
    let (a, b) =
        ([1.0_f32, 2.0, f32::NAN, -0.0, 5.0, 5.0, -1.0, 0.0], [2.0_f32, 1.0, 1.0, 0.0, 5.0, 6.0, -2.0, 0.0]);
    let stage = Stage::new().with(10, &floats(&a)).with(11, &floats(&b));
    type Case = (&'static str, fn(f32, f32) -> bool);
    let cases: [Case; 7] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("un", |a, b| a.is_nan() || b.is_nan()),
    ];
    for (condition, meaning) in cases {
        let registers = stage.run(&format!(
            "cmp (8|M0) ({condition})f1.0 r30.0<1>:d r10.0<8;8,1>:f r11.0<8;8,1>:f
             mov (1|M0) r31.0<1>:ud f1.0<0;1,0>:ud"
        ));
        let holds: Vec<bool> = a.iter().zip(&b).map(|(a, b)| meaning(*a, *b)).collect();
        let numbers: Vec<u32> = holds.iter().map(|holds| if *holds { u32::MAX } else { 0 }).collect();
        let flags =
            holds.iter().enumerate().fold(0, |flags, (lane, holds)| flags | u32::from(*holds) << lane);
        assert_eq!(
            (dwords(&registers, 30, 8), dwords(&registers, 31, 1)[0]),
            (numbers, flags),
            "{condition}"
        );
    }
}

/// A division in the form that Intel's compiler generates: a reciprocal and a chain of fused products, with
/// an early exit.
#[test]
fn macros_divide_and_take_roots_correctly_rounded() {
    let (a, b) = ([10.0_f64, 1.0, -7.5, 1e300], [3.0_f64, 3.0, 11.0, 1e-3]);
    let pack = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    let stage = Stage::new()
        .with(10, &pack(&a))
        .with(11, &pack(&b))
        .with(12, &pack(&[0.0; 4]))
        .with(13, &pack(&[1.0; 4]));
    let registers = stage.run(
        "math.invm (4|M0) (eo)f0.0 r20.mme0<1>:df r10.nomme<4;4,1>:df r11.nomme<4;4,1>:df
         madm (4|M0) r21.mme1<1>:df r12.nomme<4;4,1>:df r10.nomme<4;4,1>:df r20.mme0<4;4,1>:df
         madm (4|M0) r22.mme2<1>:df r13.nomme<4;4,1>:df -r11.nomme<4;4,1>:df r20.mme0<4;4,1>:df
         madm (4|M0) r23.mme3<1>:df r20.mme0<4;4,1>:df r22.mme2<4;4,1>:df r20.mme0<4;4,1>:df
         madm (4|M0) r24.mme4<1>:df r10.nomme<4;4,1>:df -r11.nomme<4;4,1>:df r21.mme1<4;4,1>:df
         madm (4|M0) r30.nomme<1>:df r21.mme1<4;4,1>:df r24.mme4<4;4,1>:df r23.mme3<4;4,1>:df
         mov (1|M0) r31.0<1>:ud f0.0<0;1,0>:ud",
    );
    assert_eq!(dwords(&registers, 31, 1), [0]);
    for lane in 0..4 {
        let is = f64::from_le_bytes(registers[30 * 32 + lane * 8..][..8].try_into().unwrap());
        assert_eq!(is, a[lane] / b[lane], "{} / {}", a[lane], b[lane]);
    }
}
