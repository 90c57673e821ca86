//! Kernels that quantise, scale and filter, against independent scalar implementations.

use cm::prelude::*;
use cm_test_kernels::levels;
use cm_test_support::devices::devices;
use cm_test_support::noise;

fn floats(len: usize, seed: usize) -> Vec<f32> {
    noise::bytes(len, seed).into_iter().map(|byte| f32::from(byte) / 64.0 - 1.5).collect()
}

fn space(threads: usize) -> ThreadSpace {
    ThreadSpace::new(threads, 1).unwrap()
}

#[test]
fn quantised() {
    let mut x = floats(12 * 128, 1);
    // A row of zeros, and one with an infinite number.
    x[256..384].fill(0.0);
    x[700] = f32::NEG_INFINITY;
    let most = |row: &[f32]| row.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    let row = |row: &[f32]| {
        let scale = 127.0 / most(row);
        row.iter().map(|x| (x * scale).round_ties_even() as i8).collect::<Vec<_>>()
    };
    let bytes: Vec<i8> = x.chunks(128).flat_map(row).collect();
    let scales: Vec<f32> = x.chunks(128).map(|row| most(row) * (1.0 / 127.0)).collect();
    for device in &devices(2) {
        let input = Buffer::from_slice(device, &x).unwrap();
        let mut output = Buffer::<i8>::new(device, x.len()).unwrap();
        let mut found = Buffer::<f32>::new(device, 12).unwrap();
        levels::quantised::launch(device, space(3), &input, &mut output, &mut found).unwrap();
        assert_eq!(output.to_vec().unwrap(), bytes, "{device:?}");
        assert_eq!(found.to_vec().unwrap(), scales, "{device:?}");
    }
}

#[test]
fn scaled_nibbles() {
    let pairs = noise::bytes(3 * 128, 2);
    let scales: Vec<f16> = floats(24, 3).into_iter().map(f16::from_f32).collect();
    let of = |n: usize| {
        let level = i32::from(pairs[n / 2] >> (n % 2 * 4) & 15) - 8;
        f16::from_f32(level as f32) * scales[n / 32]
    };
    let expected: Vec<f16> = (0..2 * pairs.len()).map(of).collect();
    for device in &devices(2) {
        let input = Buffer::from_slice(device, &pairs).unwrap();
        let factors = Buffer::from_slice(device, &scales).unwrap();
        let mut output = Buffer::<f16>::new(device, expected.len()).unwrap();
        levels::scaled_nibbles::launch(device, space(3), &input, &factors, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn curve() {
    let (mut x, table) = (floats(3 * 64, 4), floats(32, 5));
    x[..5].copy_from_slice(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, -0.0]);
    let of = |x: &f32| {
        let v = x * 31.0;
        #[expect(clippy::manual_clamp, reason = "NaN becomes 0")]
        let whole = v.floor().max(0.0).min(30.0);
        let (a, b) = (table[whole as usize], table[whole as usize + 1]);
        a + (b - a) * (v - whole)
    };
    let expected: Vec<f32> = x.iter().map(of).collect();
    for device in &devices(2) {
        let input = Buffer::from_slice(device, &x).unwrap();
        let numbers = Buffer::from_slice(device, &table).unwrap();
        let mut output = Buffer::<f32>::new(device, x.len()).unwrap();
        levels::curve::launch(device, space(3), &input, &numbers, &mut output).unwrap();
        let found = output.to_vec().unwrap();
        for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let same = found == expected || found.is_nan() && expected.is_nan();
            assert!(same, "{device:?}: {n}: {found}, not {expected}");
        }
    }
}

#[test]
fn second_order() {
    const WIDTH: usize = 32;
    let bytes = noise::bytes(WIDTH * 34 * 2, 6);
    let x: Vec<i16> = bytes.chunks(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect();
    let k = [5000i16, 9000, 4000, -12000, 6000];
    let at = |column: usize, row: usize| i32::from(x[row * WIDTH + column]);
    let mut expected = vec![0i16; WIDTH * 32];
    for column in 0..WIDTH {
        for row in 0..32 {
            let out = |back: usize| match row % 16 >= back {
                true => i32::from(expected[(row - back) * WIDTH + column]),
                false => 0,
            };
            let [a, b, c, d, e] = k.map(i32::from);
            let ahead = [at(column, row + 2) * a, at(column, row + 1) * b, at(column, row) * c];
            let all = ahead.into_iter().chain([-(out(1) * d), -(out(2) * e), 8192]);
            let sum = all.fold(0, i32::wrapping_add);
            expected[row * WIDTH + column] = (sum >> 14).clamp(-32768, 32767) as i16;
        }
    }
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R16, WIDTH, 34, &bytes).unwrap();
        let mut output = Surface2D::new(device, Format::R16, WIDTH, 32).unwrap();
        let space = ThreadSpace::new(WIDTH / 16, 2).unwrap();
        let [a, b, c, d, e] = k;
        levels::second_order::launch(device, space, &input, &mut output, a, b, c, d, e).unwrap();
        let found: Vec<u8> = output.to_vec().unwrap();
        let expected: Vec<u8> = expected.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(found, expected, "{device:?}");
    }
}

#[test]
fn unpacked12() {
    let bytes = noise::bytes(3 * 96, 7);
    let pair = |three: &[u8]| {
        let [a, b, low] = [0, 1, 2].map(|n| u16::from(three[n]));
        [a << 4 | low & 15, b << 4 | low >> 4]
    };
    let expected: Vec<u16> = bytes.chunks(3).flat_map(pair).collect();
    for device in &devices(2) {
        let input = Buffer::from_slice(device, &bytes).unwrap();
        let mut output = Buffer::<u16>::new(device, expected.len()).unwrap();
        levels::unpacked12::launch(device, space(3), &input, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn planes() {
    const WIDTH: usize = 32;
    const HEIGHT: usize = 8;
    let bytes = noise::bytes(WIDTH * HEIGHT * 3, 8);
    let of = |n: usize| {
        let (channel, texel) = (n / (WIDTH * HEIGHT), n % (WIDTH * HEIGHT));
        f32::from(bytes[texel * 3 + channel]) * 0.25 + 3.0
    };
    let expected: Vec<u8> = (0..bytes.len()).flat_map(|n| of(n).to_le_bytes()).collect();
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R8, WIDTH * 3, HEIGHT, &bytes).unwrap();
        let mut output = Surface2D::new(device, Format::R32F, WIDTH, HEIGHT * 3).unwrap();
        let space = ThreadSpace::new(WIDTH / 16, HEIGHT / 4).unwrap();
        levels::planes::launch(device, space, &input, &mut output, 0.25, 3.0, HEIGHT as u32).unwrap();
        let found: Vec<u8> = output.to_vec().unwrap();
        assert_eq!(found, expected, "{device:?}");
    }
}
