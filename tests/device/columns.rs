//! Kernels that compute columns, against independent scalar implementations.

use cm::prelude::*;
use cm_test_kernels::columns;
use cm_test_support::devices::devices;
use cm_test_support::noise;
use cm_test_support::spaces::space;

const WIDTH: usize = 64;
const HEIGHT: usize = 16;

fn floats(len: usize, seed: usize) -> Vec<f32> {
    noise::bytes(len, seed).into_iter().map(|byte| f32::from(byte) / 16.0 - 7.5).collect()
}

/// Buffers end inside of a matrix, and of a row. Blocks begin at multiples of 16 bytes, and those that begin before the buffer
/// are outside as a whole.
#[test]
fn prefix_sums() {
    let dword = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    let before = |bytes: u32| 0_u32.wrapping_sub(bytes);
    let lens = [3 * 256, 3 * 256 - 61, 3 * 256 - 100, 700, 3 * 256, 3 * 256];
    for (len, start) in
        lens.into_iter().zip([0, 0, 52, 1024 * 4 - 20, before(64), before(1024 + 3 * 128 + 16)])
    {
        let numbers: Vec<u32> = noise::bytes(4 * len, 1).chunks(4).map(dword).collect();
        let mut expected = vec![7; len];
        for thread in 0..3 {
            // The place of a number, if its block begins inside.
            let place = |n: u32| {
                let block = (thread * 1024 + n / 32 * 128).wrapping_add(start) / 16 * 4;
                ((block as usize) < len).then_some(block as usize + n as usize % 32)
            };
            for row in 0..16 {
                let mut sum = 0_u32;
                for at in (row * 16..row * 16 + 16).map(place) {
                    sum = sum.wrapping_add(at.and_then(|at| numbers.get(at)).copied().unwrap_or(0));
                    if let Some(result) = at.and_then(|at| expected.get_mut(at)) {
                        *result = sum;
                    }
                }
            }
        }
        for device in &devices(2) {
            let input = Buffer::from_slice(device, &numbers).unwrap();
            let mut output = Buffer::from_slice(device, &vec![7; len]).unwrap();
            columns::prefix_sums::launch(device, space(3, 1), &input, &mut output, start).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{device:?}, {len} from {start}");
        }
    }
}

#[test]
fn squares() {
    for len in [3 * 48, 3 * 48 - 7] {
        let points = floats(len, 2);
        let of = |n: usize| {
            let [a, b, c] = [0, 1, 2].map(|k| points.get(3 * n + k).copied().unwrap_or(0.0));
            a * a + b * b + c * c
        };
        let expected: Vec<f32> = (0..48).map(of).collect();
        for device in &devices(2) {
            let input = Buffer::from_slice(device, &points).unwrap();
            let mut output = Buffer::<f32>::new(device, 48).unwrap();
            columns::squares::launch(device, space(3, 1), &input, &mut output).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
        }
    }
}

/// Launches a kernel on a surface of floats, and returns what it writes.
fn filtered(device: &Device, input: &[f32], launch: impl FnOnce(&Surface2D, &mut Surface2D)) -> Vec<f32> {
    let bytes: Vec<u8> = input.iter().flat_map(|x| x.to_le_bytes()).collect();
    let input = Surface2D::from_bytes(device, Format::R32F, WIDTH, HEIGHT, &bytes).unwrap();
    let mut output = Surface2D::new(device, Format::R32F, WIDTH, HEIGHT).unwrap();
    launch(&input, &mut output);
    let bytes = output.to_vec().unwrap();
    bytes.chunks(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}

#[test]
fn butterflies() {
    let input = floats(WIDTH * HEIGHT, 3);
    // The sign of a number in the sum is that of the common ones of both positions.
    let of = |n: usize| -> f32 {
        let (row, column) = (n / WIDTH, n % WIDTH);
        let sign = |a: usize, b: usize| if (a & b & 7).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
        let at = |r: usize, c: usize| input[(row / 8 * 8 + r) * WIDTH + column / 8 * 8 + c];
        (0..8)
            .flat_map(|r| (0..8).map(move |c| (r, c)))
            .map(|(r, c)| sign(r, row) * sign(c, column) * at(r, c))
            .sum()
    };
    let expected: Vec<f32> = (0..WIDTH * HEIGHT).map(of).collect();
    for device in &devices(2) {
        let found = filtered(device, &input, |input, output| {
            columns::butterflies::launch(device, space(WIDTH / 8, HEIGHT / 8), input, output).unwrap();
        });
        assert_eq!(found, expected, "{device:?}");
    }
}

#[test]
fn recursive() {
    let input = floats(WIDTH * HEIGHT, 4);
    let mut expected = input.clone();
    for n in (0..WIDTH * HEIGHT).filter(|n| !n.is_multiple_of(16)) {
        expected[n] = input[n] + (expected[n - 1] - input[n]) * 0.5;
    }
    for device in &devices(2) {
        let found = filtered(device, &input, |input, output| {
            columns::recursive::launch(device, space(WIDTH / 16, HEIGHT / 8), input, output, 0.5).unwrap();
        });
        assert_eq!(found, expected, "{device:?}");
    }
}

#[test]
fn smoothed() {
    let input = noise::bytes(WIDTH * HEIGHT, 7);
    let mut expected = input.clone();
    for n in (0..WIDTH * HEIGHT).filter(|n| !n.is_multiple_of(16)) {
        expected[n] = ((u32::from(expected[n - 1]) * 3 + u32::from(input[n]) + 2) >> 2) as u8;
    }
    for device in &devices(2) {
        let from = Surface2D::from_bytes(device, Format::R8, WIDTH, HEIGHT, &input).unwrap();
        let mut to = Surface2D::new(device, Format::R8, WIDTH, HEIGHT).unwrap();
        columns::smoothed::launch(device, space(WIDTH / 16, HEIGHT / 16), &from, &mut to).unwrap();
        assert_eq!(to.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn residuals() {
    let bytes = noise::bytes(2 * WIDTH * HEIGHT, 5);
    let words: Vec<i16> = bytes.chunks(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect();
    let of = |n: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| i32::from(words[n / 4 * 4 + k]));
        let (e0, e1, e2, e3) = (a + c, a - c, (b >> 1) - d, b + (d >> 1));
        [e0 + e3, e1 + e2, e1 - e2, e0 - e3][n % 4] as i16
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).flat_map(|n| of(n).to_le_bytes()).collect();
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R16, WIDTH, HEIGHT, &bytes).unwrap();
        let mut output = Surface2D::new(device, Format::R16, WIDTH, HEIGHT).unwrap();
        columns::residuals::launch(device, space(WIDTH / 16, HEIGHT / 4), &input, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn cosines() {
    let bytes = noise::bytes(2 * WIDTH * HEIGHT, 6);
    let words: Vec<i16> = bytes.chunks(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect();
    // Factor `k` of row `u` is the cosine of (2 k + 1) u / 16 half turns.
    let factors = [64, 89, 83, 75, 64, 50, 36, 18];
    let factor = |u: usize, k: usize| match (2 * k + 1) * u % 32 {
        angle @ 0..=7 => factors[angle],
        angle @ 9..=15 => -factors[16 - angle],
        angle @ 16..=23 => -factors[angle - 16],
        angle @ 25..=31 => factors[32 - angle],
        _ => 0,
    };
    let of = |n: usize| -> i16 {
        let sum: i32 = (0..8).map(|k| i32::from(words[n / 8 * 8 + k]) * factor(n % 8, k)).sum();
        ((sum + 64) >> 7) as i16
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).flat_map(|n| of(n).to_le_bytes()).collect();
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R16, WIDTH, HEIGHT, &bytes).unwrap();
        let mut output = Surface2D::new(device, Format::R16, WIDTH, HEIGHT).unwrap();
        columns::cosines::launch(device, space(WIDTH / 16, HEIGHT / 8), &input, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}
