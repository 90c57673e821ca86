//! `dpas`, compared with the scalar meaning of a matrix product.

use cm_simulator::generation::Generation;

use crate::stage::Stage;

/// The random number generator of a test.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// The `count` bits at bit `at`, which are all within four bytes.
fn bits(bytes: &[u8], at: usize, count: usize) -> u32 {
    let word = (at / 8..at / 8 + 4)
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*bytes.get(byte).unwrap_or(&0)));
    (word >> (at % 8) & ((1 << count) - 1)) as u32
}

/// Integer types, their bits, and whether they are signed.
const INTEGERS: [(&str, usize, bool); 6] =
    [("ub", 8, false), ("b", 8, true), ("u4", 4, false), ("s4", 4, true), ("u2", 2, false), ("s2", 2, true)];

fn integer(bits: u32, count: usize, signed: bool) -> i64 {
    let value = i64::from(bits);
    if signed && bits >> (count - 1) & 1 == 1 { value - (1 << count) } else { value }
}

/// Generations with matrix instructions, and their number of columns.
const GENERATIONS: [(Generation, usize); 3] =
    [(Generation::XeHpg, 8), (Generation::XeHpc, 16), (Generation::Xe2, 16)];

/// The numbers of registers.
const SUMS: usize = 20;
const COLUMNS: usize = 40;
const ROWS: usize = 60;
const RESULT: usize = 80;

/// The registers of the result.
fn run(
    (generation, columns): (Generation, usize),
    rows: usize,
    types: [&str; 3],
    (sums, b, a): (Option<&[u8]>, &[u8], &[u8]),
    mask: u32,
) -> Vec<u8> {
    let mut stage = Stage::of(generation).with(COLUMNS, b).with(ROWS, a);
    stage.mask = mask;
    if let Some(sums) = sums {
        stage = stage.with(SUMS, sums);
    }
    let [sum, of_b, of_a] = types;
    let begin = if sums.is_some() { format!("r{SUMS}:{sum}") } else { format!("null:{sum}") };
    let text =
        format!("dpas.8x{rows} ({columns}|M0) r{RESULT}:{sum} {begin} r{COLUMNS}:{of_b} r{ROWS}.0:{of_a}");
    stage.run(&text)[RESULT * generation.register_bytes()..].to_vec()
}

#[test]
fn integers_of_all_sizes_are_multiplied() {
    let mut random = Random(1);
    for which @ (generation, columns) in GENERATIONS {
        let register = generation.register_bytes();
        for (of_b, bits_b, signed_b) in INTEGERS {
            for (of_a, bits_a, signed_a) in INTEGERS {
                for rows in [1, 2, 7, 8] {
                    let (b, a, sums) =
                        (random.bytes(8 * register), random.bytes(256), random.bytes(rows * register));
                    // Factors of a step, and steps in a dword of a column.
                    let factors = if bits_a.max(bits_b) == 8 { 4 } else { 8 };
                    let steps = 32 / (factors * bits_b);
                    for begin in [None, Some(&sums[..])] {
                        let mask = if begin.is_some() { u32::MAX } else { 0x5a5a };
                        let found = run(which, rows, ["d", of_b, of_a], (begin, &b, &a), mask);
                        for row in 0..rows {
                            for column in 0..columns {
                                let at = (row * columns + column) * 4;
                                let mut sum = begin.map_or(0, |sums| i64::from(bits(sums, at * 8, 32)));
                                for n in 0..8 * factors {
                                    let (step, place) = (n / factors, n % factors);
                                    let dword = step / steps * register + column * 4;
                                    let in_dword = (step % steps * factors + place) * bits_b;
                                    let x = bits(&b, dword * 8 + in_dword, bits_b);
                                    let y = bits(&a, (row * 8 * factors + n) * bits_a, bits_a);
                                    sum += integer(x, bits_b, signed_b) * integer(y, bits_a, signed_a);
                                }
                                let expected = if mask >> column & 1 == 0 { 0 } else { sum as u32 };
                                assert_eq!(
                                    bits(&found, at * 8, 32),
                                    expected,
                                    "{of_b} {of_a} {row} {column}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The value of a float with this many exponent and mantissa bits. The tests have no infinities or denormals.
fn value(bits: u32, exponent: u32, mantissa: u32) -> f64 {
    let power = (bits >> mantissa & ((1 << exponent) - 1)) as i32 - (1 << (exponent - 1)) + 1;
    let fraction = 1.0 + f64::from(bits & ((1 << mantissa) - 1)) / f64::from(1 << mantissa);
    let magnitude =
        if bits & ((1 << (exponent + mantissa)) - 1) == 0 { 0.0 } else { fraction * 2_f64.powi(power) };
    if bits >> (exponent + mantissa) & 1 == 1 { -magnitude } else { magnitude }
}

#[test]
fn floats_are_multiplied_and_summed_in_order() {
    let mut random = Random(2);
    for which @ (generation, columns) in GENERATIONS {
        let register = generation.register_bytes();
        for (ty, size, exponent, mantissa) in [("hf", 2, 5, 10), ("bf", 2, 8, 7), ("tf32", 4, 8, 10)] {
            let per_dword = 4 / size;
            // Numbers around 1, with both signs.
            let mut numbers = |count: usize| -> Vec<u8> {
                let mut bytes = vec![];
                for _ in 0..count {
                    let bias = (1 << (exponent - 1)) - 2 + random.next() % 4;
                    let number = (random.next() & 1) << (exponent + mantissa)
                        | bias << mantissa
                        | random.next() & ((1 << mantissa) - 1);
                    // A dword of tf32 has 13 low bits that are ignored.
                    let number = if size == 4 { number << 13 | random.next() & 0x1fff } else { number };
                    bytes.extend(&number.to_le_bytes()[..size]);
                }
                bytes
            };
            let (b, a) = (numbers(8 * register / size), numbers(8 * 8 * per_dword));
            let sums: Vec<u8> = (0..8 * columns).flat_map(|n| (n as f32 / 3.0).to_le_bytes()).collect();
            let shift = if size == 4 { 13 } else { 0 };
            let number =
                |bytes: &[u8], at: usize| value(bits(bytes, at * 8, size * 8) >> shift, exponent, mantissa);
            let found = run(which, 8, ["f", ty, ty], (Some(&sums), &b, &a), u32::MAX);
            for row in 0..8 {
                for column in 0..columns {
                    let at = (row * columns + column) * 4;
                    let mut sum = f32::from_bits(bits(&sums, at * 8, 32));
                    for n in 0..8 * per_dword {
                        let x = number(&b, n / per_dword * register + column * 4 + n % per_dword * size);
                        let y = number(&a, (row * 8 * per_dword + n) * size);
                        sum = (f64::from(sum) + x * y) as f32;
                    }
                    assert_eq!(bits(&found, at * 8, 32), sum.to_bits(), "{generation:?} {ty} {row} {column}");
                }
            }
            // Sums with the type of the factors are rounded once.
            if size == 2 {
                let found = run(which, 8, [ty, ty, ty], (None, &b, &a), u32::MAX);
                let exact = run(which, 8, ["f", ty, ty], (None, &b, &a), u32::MAX);
                for n in 0..8 * columns {
                    let sum = f64::from(f32::from_bits(bits(&exact, n * 32, 32)));
                    let rounded = number(&found, n * 2);
                    let step = sum.abs() * 2_f64.powi(-mantissa.cast_signed() - 1) * (1.0 + 1e-6);
                    assert!((sum - rounded).abs() <= step, "{ty} {n}: {sum} {rounded}");
                }
            }
        }
    }
}

#[test]
fn the_result_may_lie_where_the_factors_do() {
    let mut random = Random(3);
    let (b, a) = (random.bytes(512), random.bytes(256));
    let apart = run((Generation::XeHpc, 16), 8, ["d", "b", "b"], (None, &b, &a), u32::MAX);
    let stage = Stage::of(Generation::XeHpc).with(COLUMNS, &b).with(ROWS, &a);
    for target in [COLUMNS, ROWS] {
        let text = format!("dpas.8x8 (16|M0) r{target}:d null:d r{COLUMNS}:b r{ROWS}.0:b");
        assert_eq!(stage.run(&text)[target * 64..][..512], apart[..512]);
    }
}

#[test]
fn what_no_matrix_instruction_has_is_refused() {
    let cases = [
        ("dpas.8x8 (8|M0) r80:d null:d r40:b r60.0:b", "with other channels than the unit has"),
        (
            "dpas.4x8 (16|M0) r80:d null:d r40:b r60.0:b",
            "not supported: a matrix instruction whose depth is not 8",
        ),
        ("dpasw.8x8 (16|M0) r80:d null:d r40:b r60.0:b", "not supported: dpasw"),
        ("dpas.8x8 (16|M0) r80:d null:d r40:hf r60.0:b", "whose factors do not fit together"),
        ("dpas.8x8 (16|M0) r80:f null:f r40:hf r60.0:bf", "whose factors do not fit together"),
        ("dpas.8x8 (16|M0) r80:f null:f r40:b r60.0:b", "whose sums do not fit its factors"),
        ("dpas.8x8 (16|M0) r80:hf null:hf r40:bf r60.0:bf", "whose sums do not fit its factors"),
        ("dpas.8x8 (16|M0) r80:d null:d r40:d r60.0:b", "not supported: factors of this type"),
        ("dpas.8x8 (16|M0) (sat)r80:d null:d r40:b r60.0:b", "not supported: modifiers"),
        ("dpas.8x8 (16|M0) r125:d null:d r40:b r60.0:b", "runs past the last register"),
    ];
    for (text, expected) in cases {
        let fault = Stage::of(Generation::XeHpc).fault(text);
        assert!(fault.why.contains(expected), "{text}: {}", fault.why);
    }
}
