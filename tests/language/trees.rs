//! Trees of operators, which the CPU computes in one pass, against scalar code.

use cm::prelude::*;
use cm_test_kernels::tree_kernels::{
    converted_names, functions_of_trees, masks_of_trees, named_trees, several, shifted, shifted_left, trees,
    tuples,
};
use cm_test_support::devices::devices;
use cm_test_support::noise;

const WIDTH: usize = 237;
const HEIGHT: usize = 61;

/// What the thread at (x, y) writes; `at` gives bytes of the surface.
fn expected(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 20]; 8] {
    let block = |r: i32, c: i32| i32::from(at(x * 20 + c, y * 8 + r));
    let m = |r: i32, c: i32| i32::from(at(x * 20 + 1 + c, y * 8 + r)) ^ 85;
    let mut sum = [[0i16; 20]; 8];
    let mut out = [[0u8; 20]; 8];
    for (r, row) in (0..).zip(&mut sum) {
        for (c, sum) in (0..).zip(row) {
            *sum = (block(r, c) - block(r, c + 5) * (x % 3) + 7) as i16;
            *sum = (i32::from(*sum) + ((3 * m(r, c + x % 13) - block(r, c + 2)) >> (y % 4))) as i16;
            *sum = (i32::from(*sum) - (i32::from(*sum) / 4 + y)) as i16;
            out[r as usize][c as usize] = (i32::from(*sum) + 255 - m(r, c + 12)).clamp(0, 255) as u8;
        }
    }
    let old = out;
    for (r, c) in (0..8).flat_map(|r| (0..12).map(move |c| (r, c))) {
        let short = (m(r, c + x % 9) + 1) * 2 - block(r, c + 20);
        let (r, c) = (r as usize, c as usize);
        out[r][c + 4] = (i32::from(old[r][c + 1]) ^ short) as u8;
    }
    for (r, c) in (0..4).flat_map(|r| (0..20).map(move |c| (r, c))) {
        let odd = (block(1 + 2 * r, c + 11) | m(2 * r, c)) & 0x5a;
        let to = &mut out[2 * r as usize][c as usize];
        *to = to.wrapping_add(odd as u8);
    }
    for c in 0..20 {
        out[3][c as usize] = (m(x % 8, c + 7) * 3 + block((x + y) % 8, c + 7)) as u8;
    }
    for (r, c) in (0..3).flat_map(|r| (0..16).map(move |c| (r, c))) {
        out[5 + r as usize][4 + c as usize] = (m(r + x % 6, c + 16) - m(r + 2, c + 16) * 2) as u8;
    }
    let line = |k: i32| m(k / 32, k % 32);
    for (r, c) in (0..8).flat_map(|r| (0..20).map(move |c| (r, c))) {
        let bright = m(r, c + 1) as f32 * 0.25 + block(r, c + x % 2) as f32 * 0.5;
        let k = r * 20 + c;
        let shifted = line(k + y % 64) * 5 + line(k + 95);
        out[r as usize][c as usize] ^= bright as u8 ^ shifted as u8;
    }
    out
}

/// What the thread at (x, y) of `masks_of_trees` writes.
fn expected_of_masks(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let block = |r: i32, c: i32| i32::from(at(x * 16 + c, y * 8 + r));
    let m = |r: i32, c: i32| block(r, c + 1) - 85;
    let limited = |r: i32, c: i32| {
        let word = m(r, c + x % 9) * 2;
        // `y` is unsigned, so that both are compared as unsigned numbers.
        let word = if (word - m(r, c + 1)) as u32 > y as u32 { -1 } else { word };
        if word != -1 && block(r, c + 9) <= 200 { word } else { 5 }
    };
    let mut out = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let mid = block(r, c + 4);
        let peak = (mid > block(r, c + 3) && mid >= block(r, c + 5)) || x >= mid;
        let mut byte = if peak { mid as u8 } else { 3 };
        if (m(r, c + 2) < -20) ^ (mid == 7) {
            byte = byte.wrapping_add(1);
        }
        let mut word = limited(r, c);
        let bits: i32 = (0..5).map(|i| i32::from(block(r, c + i * 2) < mid) << i).sum();
        let half = m(r, c + 3) as f32 * 0.5;
        let light = if half < 0.0 || half * 3.0 >= 90.0 { 1.5 } else { half };
        let low = limited(2, c) < m(x % 8, c);
        if r == 2 && low {
            word = 9;
        }
        if r == 1 && low && bits > 3 {
            byte = 77;
        }
        out[r as usize][c as usize] = (i32::from(byte) + word + bits + light as i32) as u8;
    }
    out
}

/// What the thread at (x, y) of `named_trees` writes.
fn expected_of_names(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let block = |r: usize, c: usize| i32::from(at(x * 16 + c as i32, y * 8 + r as i32));
    let m = |r: usize, c: usize| block(r, c + 1) ^ 85;
    let (across, down) = (x as usize, y as usize);
    let mut bytes = [[7u8; 16]; 8];
    for c in 0..bytes[0].len() {
        bytes[1][c] = (m(2, c + 3) * 2 + block(5, c + down % 8)) as u8;
        bytes[2][c] = bytes[1][c].wrapping_add(3);
        for r in 0..2 {
            bytes[4 + 2 * r][c] = (m(1 + r, c + 4) - (m(6 + r, c + across % 7) & 15)) as u8;
        }
    }
    let mut out = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let first = ((block(r, c + 1) * 3 + m(r, c + 2) * x + 128) >> 2) as i16;
        let mean = (block(r, c + 3) + i32::from(first)) / 2;
        let squared = (mean * mean - mean) as i16;
        let sum = first.wrapping_add(squared);
        let mut value = i32::from(sum) - (i32::from(first) + 1) + i32::from(sum) * 2 - 1;
        for (factor, i) in [(1, 0), (3, 1), (3, 2)] {
            value += (m(r, c + across % 7) & 15) * factor + i;
        }
        let limited = ((i32::from(value as i16) ^ i32::from(squared)) + 5).clamp(0, 255) as u8;
        let light = block(r, c + across % 3) as f32 * 0.5 + 0.25;
        let (halves, root) = ((light * 3.0) as i16, (light * light + 2.0).sqrt());
        let apart = (m(r, c + 9) - block(r, c + 3)).unsigned_abs() as u8;
        let (last, squared) = (i32::from(value as i16), i32::from(squared));
        let far = (m(r, c + 1) * 2 - last).max(block(r, c)) as i16;
        let near = (i32::from(far) - 3).min(77).clamp(0, 255) as u8;
        let other = ((last - squared).abs() as i16).wrapping_sub((squared - 1).abs() as i16);
        let mut next = (value as i16).wrapping_add((block(r, c + 2) * 3) as i16);
        next = next.wrapping_add((block(r, c + 2) - 300) as i16);
        if (6..10).contains(&c) {
            let quarters = block(r, 5 + 4 * (c - 6)) as f32;
            next = ((quarters * 0.25 + quarters) as i16).wrapping_add(block(r, c - 6 + 5) as i16);
        }
        let bits = limited ^ bytes[r][c] ^ halves as u8 ^ apart ^ far as u8 ^ near ^ other as u8 ^ root as u8;
        out[r][c] = bits ^ (last - i32::from(next)) as u8;
    }
    out
}

/// What the thread at (x, y) of `converted_names` writes.
fn expected_of_converted(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let block = |r: i32, c: i32| i32::from(at(x * 16 + c, y * 8 + r));
    let word = |r: i32, c: i32| block(r, 2 * c) as u32 | (block(r, 2 * c + 1) as u32) << 8;
    let mut out = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let sum = |c: i32| block(r, c) + block(r + 4, c) * 3;
        let cut = ((sum(c) + sum(c + 4)) * 3 - 700) as u8;
        let signed = (block(r + 1, c + 2) * 2 - 5) as i8;
        let mixed = (i32::from(cut) * 5 - i32::from(signed) * 9) as i16;
        let halves = ((i32::from(mixed) * 3) as f32 * 0.5 + 0.25) as i16;
        let shifted = (i32::from(halves) << 5) as u16;
        let mut byte = (i32::from(shifted >> 3) - 20) as u8;
        let (high, low) = ((block(r + 2, c + 1) * 257) as i16, (block(r, c + 4) * -129) as i16);
        byte ^= (i32::from(high) - i32::from(low)).clamp(-128, 127) as u8;
        if c >= 8 {
            let product = |c: i32| word(r, c) * 7 + word(r + 2, c);
            byte ^= ((product(c - 8) + product(c - 4)) >> 5) as u8;
        }
        out[r as usize][c as usize] = byte;
    }
    out
}

/// What the thread at (x, y) of `functions_of_trees` writes.
fn expected_of_functions(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let mut out = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let [a, b] = [0, 1].map(|k| i32::from(at(x * 16 + c + k, y * 8 + r)));
        let high = a * 128 - b;
        let low = b * -128 - a;
        let ones = (a * 3 - b).count_ones() as i32;
        let short = (a - b * 3).abs().min(255);
        let distances =
            [(a * 64 - b * 64, 1), (high + 127, 3), (high + 128, 5), (low + 127, 7), (low + 126, 9)];
        let value =
            distances.iter().fold(short ^ (ones * 11), |value, (n, factor)| value ^ (n.abs() * factor));
        out[r as usize][c as usize] = (value ^ (value >> 8)) as u8;
    }
    out
}

/// What the thread at (x, y) of `several` writes.
fn expected_of_several(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let mut out = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let block = |i: i32, j: i32| i32::from(at(x * 16 + c + j, y * 8 + r + i));
        let a = ((128 + block(0, 0) * 4) ^ block(0, 1)) - block(0, 2) * 88;
        let mut b = -5i32;
        for (i, j, factor, other) in
            [(0, 0, 4, 88), (0, 1, -22, 3), (0, 2, 58, -7), (1, 0, 88, 4), (1, 1, 3, -22), (1, 2, -7, 58)]
        {
            b = b.wrapping_add(block(i, j) * factor).wrapping_mul(other);
        }
        let value = a ^ b ^ (block(0, 3) - block(1, 5) * (4 + 88));
        out[r as usize][c as usize] = (value ^ (value >> 8)) as u8;
    }
    out
}

/// What the thread at (x, y) of `shifted` writes.
fn expected_of_shifted(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let mut out = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let [a, b] = [0, 1].map(|k| i32::from(at(x * 16 + c + k, y * 8 + r)));
        let unsigned = ((a as u32 * 3).wrapping_sub(b as u32) >> 9) as i32;
        let terms = [
            ((a * 128 + b * 128 + 255) >> 8, 1),
            ((a * 128 + b * 128 + 256) >> 8, 3),
            ((a * 64 - b * 128 - 128) >> 5, 5),
            ((a * 64 - b * 128 - 129) >> 5, 7),
            ((a * 256 - b) >> 3, 9),
            (unsigned, 11),
            ((a * 257) / 9, 13),
            ((a - b * 128) / 7, 15),
            ((a * 300 - b) >> 4, 17),
            (((a * 255 + b + 127) >> 8).min(255), 1),
            ((a * 128 + b) >> 1, 19),
        ];
        let value = terms.iter().fold(0, |value, (n, factor)| value ^ n.wrapping_mul(*factor)) as u32;
        out[r as usize][c as usize] = (value ^ (value >> 8) ^ (value >> 16)) as u8;
    }
    out
}

/// What the thread at (x, y) of `shifted_left` writes.
fn expected_of_shifted_left(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let own = (x * 3 - 5) as u32;
    let mut out = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let [a, b] = [0, 1].map(|k| i32::from(at(x * 16 + c + k, y * 8 + r)));
        let (mut words, mut bytes) = (1u16, 3u8);
        for bit in (0..36).step_by(3) {
            let word = (a * 3 - b).wrapping_shl(bit).wrapping_sub(b.wrapping_shl(own).wrapping_mul(5));
            words ^= word as u16;
            bytes ^=
                ((i32::from(a < b).wrapping_shl(bit)).wrapping_add(a ^ 7) & (b | a).wrapping_shl(13)) as u8;
        }
        let bits = i32::from(a < b) | (i32::from(a == b) << 1) ^ (i32::from(b >= 9) << 7) & (a << 2);
        let long = (a - b).wrapping_shl(36).wrapping_add((a * 5).wrapping_shl(own));
        let long = long ^ (long >> 8) ^ (long >> 16) ^ (long >> 24);
        out[r as usize][c as usize] = (long ^ i32::from(words ^ (words >> 8))) as u8 ^ bytes ^ bits as u8;
    }
    out
}

/// What the thread at (x, y) of `tuples` writes.
fn expected_of_tuples(at: &dyn Fn(i32, i32) -> u8, x: i32, y: i32) -> [[u8; 16]; 8] {
    let block = |r: i32, c: i32| i32::from(at(x * 16 + c, y * 8 + r));
    let mut counts = [0; 24];
    for c in 0..12 {
        counts[block(y % 8, c) as usize % 24] += c + 1;
    }
    let mut written = [[0u8; 16]; 8];
    for (r, c) in (0..8).flat_map(|r| (0..16).map(move |c| (r, c))) {
        let m = block(r, c + 1) - 85;
        let (low, high) = (m - block(r, c + 3), m + x * 2);
        let first = m + low * low + high * low;
        let mut out = ((first - 7) ^ (first + 1 + first * 2)) + ((high - low) ^ ((low + 3) * 5));
        if r == 3 {
            out += counts[4 + c as usize];
        }
        written[r as usize][c as usize] = (out ^ (out >> 8)) as u8;
    }
    written
}

/// Compares the blocks that a kernel writes on every device. `expected` is for the thread at (x, y).
fn check<const COLUMNS: usize>(
    launch: impl Fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D) -> cm::Result<Event>,
    expected: impl Fn(&dyn Fn(i32, i32) -> u8, i32, i32) -> [[u8; COLUMNS]; 8],
) {
    let data = noise::bytes(WIDTH * HEIGHT, 0);
    let at = |x: i32, y: i32| {
        data[y.clamp(0, HEIGHT as i32 - 1) as usize * WIDTH + x.clamp(0, WIDTH as i32 - 1) as usize]
    };
    let (across, down) = (WIDTH / COLUMNS, HEIGHT.div_ceil(8));
    for device in devices(2) {
        let input = Surface2D::from_bytes(&device, Format::R8, WIDTH, HEIGHT, &data).unwrap();
        let mut output = Surface2D::new(&device, Format::R8, WIDTH, HEIGHT).unwrap();
        launch(&device, ThreadSpace::new(across, down).unwrap(), &input, &mut output).unwrap();
        let found = output.to_vec().unwrap();
        for (x, y) in (0..across).flat_map(|x| (0..down).map(move |y| (x, y))) {
            let block = expected(&at, x as i32, y as i32);
            for (r, row) in block.iter().enumerate().take(HEIGHT - y * 8) {
                let start = (y * 8 + r) * WIDTH + x * COLUMNS;
                let found = &found[start..start + COLUMNS];
                assert_eq!(found, row, "{}: thread ({x}, {y}), row {r}", device.name());
            }
        }
    }
}

#[test]
fn trees_have_the_meaning_of_their_operators() {
    check(trees::launch, expected);
}

#[test]
fn comparisons_in_trees_are_masks() {
    check(masks_of_trees::launch, expected_of_masks);
}

#[test]
fn names_of_trees_do_not_change_their_meaning() {
    check(named_trees::launch, expected_of_names);
}

#[test]
fn names_of_converted_trees_have_the_declared_elements() {
    check(converted_names::launch, expected_of_converted);
}

#[test]
fn names_of_a_tuple_do_not_change_the_meaning_of_trees() {
    check(tuples::launch, expected_of_tuples);
}

#[test]
fn functions_of_trees_are_those_of_their_numbers() {
    check(functions_of_trees::launch, expected_of_functions);
}

#[test]
fn several_statements_change_a_register_in_order() {
    check(several::launch, expected_of_several);
}

#[test]
fn what_is_shifted_or_divided_may_need_more_than_16_bits() {
    let launch = |device: &Device, space, input: &Surface2D, output: &mut Surface2D| {
        shifted::launch(device, space, input, output, 300)
    };
    check(launch, expected_of_shifted);
}

#[test]
fn what_is_shifted_to_the_left_may_lose_all_its_bits() {
    let launch = |device: &Device, space, input: &Surface2D, output: &mut Surface2D| {
        shifted_left::launch(device, space, input, output, 13)
    };
    check(launch, expected_of_shifted_left);
}

/// The sums have the bits of `tf32`, but are integers; the words have those of `bf16`.
#[kernel]
fn stored(numbers: &Buffer<u32>, singles: &mut Buffer<f32>, halves: &mut Buffer<f32>) {
    let sum = numbers.read::<16>(0) + 1u32;
    let short: Vector<tf32, 16> = sum.convert();
    singles.write(0, &short.convert::<f32>());
    let word: Vector<u16, 16> = numbers.read::<16>(0).convert();
    let mixed = word ^ 5u16;
    let short: Vector<bf16, 16> = mixed.convert();
    halves.write(0, &short.convert::<f32>());
}

#[test]
fn trees_of_integers_become_numbers_of_the_same_size() {
    let numbers: Vec<u32> = (0..16).map(|n| n * 771 + 1_234_567).collect();
    for device in devices(1) {
        let input = Buffer::from_slice(&device, &numbers).unwrap();
        let [mut singles, mut halves] = [0; 2].map(|_| Buffer::<f32>::new(&device, 16).unwrap());
        stored::launch(&device, ThreadSpace::new(1, 1).unwrap(), &input, &mut singles, &mut halves).unwrap();
        let expected = numbers.iter().map(|n| tf32::from_f32((n + 1) as f32).to_f32());
        assert_eq!(singles.to_vec().unwrap(), expected.collect::<Vec<_>>(), "{}", device.name());
        let expected = numbers.iter().map(|n| bf16::from_f32(f32::from(*n as u16 ^ 5)).to_f32());
        assert_eq!(halves.to_vec().unwrap(), expected.collect::<Vec<_>>(), "{}", device.name());
    }
}

/// Trees that name other trees. `x` changes after the first of them, and before the last one is used.
#[kernel]
fn chained(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let mut x = input.read::<16>(0);
    let old = x;
    let near = x.select::<8, 1>(0) + 5;
    let next = near + 1;
    x += 1;
    output.write(0, &(next * old.select::<8, 1>(8)).convert::<i32>());
    let far = x.select::<8, 1>(8) * 3 + 1;
    let twice = far + far;
    for i in 0..4 {
        x.select_mut::<8, 1>(0).assign(twice - i);
    }
    output.write(32, &(twice + x.select::<8, 1>(0)).convert::<i32>());
}

#[test]
fn trees_that_name_trees_keep_their_values() -> cm::Result<()> {
    let x: Vec<i32> = (0..16).map(|n| n * n - 40).collect();
    let next = (0..8).map(|n| (x[n] + 6) * x[n + 8]);
    let twice = (0..8).map(|n| ((x[n + 8] + 1) * 3 + 1) * 2);
    let expected: Vec<i32> = next.chain(twice.map(|twice| twice + twice - 3)).collect();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &x)?;
        let mut output = Buffer::<i32>::new(device, 16)?;
        chained::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// Each tree names the one before it several times.
#[kernel]
fn powers(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let x1 = input.read::<16>(0);
    let x2 = x1 * x1 + x1;
    let x3 = x2 * x2 + x2;
    let x4 = x3 * x3 + x3;
    let x5 = x4 * x4 + x4;
    let x6 = x5 * x5 + x5;
    let x7 = x6 * x6 + x6;
    let x8 = x7 * x7 + x7;
    let x9 = x8 * x8 + x8;
    let x10 = x9 * x9 + x9;
    let x11 = x10 * x10 + x10;
    let x12 = x11 * x11 + x11;
    let x13 = x12 * x12 + x12;
    let x14 = x13 * x13 + x13;
    let x15 = x14 * x14 + x14;
    let x16 = x15 * x15 + x15;
    let x17 = x16 * x16 + x16;
    let x18 = x17 * x17 + x17;
    let x19 = x18 * x18 + x18;
    let x20 = x19 * x19 + x19;
    let x21 = x20 * x20 + x20;
    let x22 = x21 * x21 + x21;
    let x23 = x22 * x22 + x22;
    let x24 = x23 * x23 + x23;
    let x25 = x24 * x24 + x24;
    let x26 = x25 * x25 + x25;
    let x27 = x26 * x26 + x26;
    let x28 = x27 * x27 + x27;
    let x29 = x28 * x28 + x28;
    let x30 = x29 * x29 + x29;
    let x31 = x30 * x30 + x30;
    output.write(0, &x31);
}

#[test]
fn trees_that_name_trees_stay_small() -> cm::Result<()> {
    let input: Vec<u32> = (0..16).map(|n| n * 7 + 3).collect();
    let power = |x: &u32| (0..30).fold(*x, |x, _| x.wrapping_mul(x).wrapping_add(x));
    let expected: Vec<u32> = input.iter().map(power).collect();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &input)?;
        let mut output = Buffer::<u32>::new(device, 16)?;
        powers::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}

/// A filter of 81 terms, written out: one tree.
#[kernel]
fn long_tree(input: &Buffer<u8>, output: &mut Buffer<i32>) {
    let v = input.read::<16>(0);
    let named = v * 1
        + v * 2
        + v * 3
        + v * 4
        + v * 5
        + v * 6
        + v * 7
        + v * 8
        + v * 9
        + v * 10
        + v * 11
        + v * 12
        + v * 13
        + v * 14
        + v * 15
        + v * 16
        + v * 17
        + v * 18
        + v * 19
        + v * 20
        + v * 21
        + v * 22
        + v * 23
        + v * 24
        + v * 25
        + v * 26
        + v * 27
        + v * 28
        + v * 29
        + v * 30;
    let sum: Vector<i32, 16> =
        (v * 1 + v * 2 + v * 3 - v + v * 4 + v * 5 + v * 6 - v + v * 7 + v * 8 + v * 9 - v
            + v * 10
            + v * 11
            + v * 12
            - v
            + v * 13
            + v * 14
            + v * 15
            - v
            + v * 16
            + v * 17
            + v * 18
            - v
            + v * 19
            + v * 20
            + v * 21
            - v
            + v * 22
            + v * 23
            + v * 24
            - v
            + v * 25
            + v * 26
            + v * 27
            - v
            + v * 28
            + v * 29
            + v * 30
            - v
            + v * 31
            + v * 32
            + v * 33
            - v
            + v * 34
            + v * 35
            + v * 36
            - v
            + v * 37
            + v * 38
            + v * 39
            - v
            + v * 40
            + v * 41
            + v * 42
            - v
            + v * 43
            + v * 44
            + v * 45
            - v
            + v * 46
            + v * 47
            + v * 48
            - v
            + v * 49
            + v * 50
            + v * 51
            - v
            + v * 52
            + v * 53
            + v * 54
            - v
            + v * 55
            + v * 56
            + v * 57
            - v
            + v * 58
            + v * 59
            + v * 60
            - v
            + v * 61
            + v * 62
            + v * 63
            - v
            + v * 64
            + v * 65
            + v * 66
            - v
            + v * 67
            + v * 68
            + v * 69
            - v
            + v * 70
            + v * 71
            + v * 72
            - v
            + v * 73
            + v * 74
            + v * 75
            - v
            + v * 76
            + v * 77
            + v * 78
            - v
            + v * 79
            + v * 80
            + v * 81
            - v)
            .convert();
    let both: Vector<i32, 16> = (named
        - v * 1
        - v * 2
        - v * 3
        - v * 4
        - v * 5
        - v * 6
        - v * 7
        - v * 8
        - v * 9
        - v * 10
        - v * 11
        - v * 12
        - v * 13
        - v * 14
        - v * 15
        - v * 16
        - v * 17
        - v * 18
        - v * 19
        - v * 20
        - v * 21
        - v * 22
        - v * 23
        - v * 24
        - v * 25
        - v * 26
        - v * 27
        - v * 28
        - v * 29
        - v * 30
        - v * 31
        - v * 32
        - v * 33
        - v * 34
        - v * 35
        - v * 36
        - v * 37
        - v * 38
        - v * 39
        - v * 40)
        .convert();
    let computed = v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v
        + v;
    output.write(0, &sum);
    output.write(64, &both);
    output.write(128, &computed);
}

#[test]
fn long_trees_compile() -> cm::Result<()> {
    let input: Vec<u8> = (0..16).map(|n| n * 15 + 3).collect();
    let sum: i32 = (1..=81).sum::<i32>() - 27;
    let both: i32 = (1..=30).sum::<i32>() - (1..=40).sum::<i32>();
    let expected: Vec<i32> =
        [sum, both, 70].iter().flat_map(|by| input.iter().map(move |x| i32::from(*x) * by)).collect();
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &input)?;
        let mut output = Buffer::<i32>::new(device, 48)?;
        long_tree::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected, "{}", device.name());
    }
    Ok(())
}
