//! Kernels of images, tables and sums, against independent scalar implementations.

use cm::prelude::*;
use cm_test_kernels::everyday;
use cm_test_support::devices::devices;
use cm_test_support::noise;
use cm_test_support::spaces::{empty, space, surface};

const WIDTH: usize = 64;
const HEIGHT: usize = 16;

#[test]
fn grey() {
    let rgb = noise::bytes(3 * WIDTH * HEIGHT, 1);
    let of =
        |p: &[u8]| ((u32::from(p[0]) * 77 + u32::from(p[1]) * 150 + u32::from(p[2]) * 29 + 128) >> 8) as u8;
    let expected: Vec<u8> = rgb.chunks(3).map(of).collect();
    for device in &devices(2) {
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::grey::launch(device, space(4, 4), &surface(device, 3 * WIDTH, &rgb), &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn erode() {
    let bytes = noise::bytes(2 * WIDTH * HEIGHT, 2);
    let words: Vec<u16> = bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    let of = |n: usize| {
        let near = |at: usize, last: usize| (0..3).map(move |k| (at + k).clamp(1, last) - 1);
        let rows = near(n / WIDTH, HEIGHT);
        rows.flat_map(|y| near(n % WIDTH, WIDTH).map(move |x| y * WIDTH + x))
            .map(|at| words[at])
            .min()
            .unwrap()
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).flat_map(|n| of(n).to_le_bytes()).collect();
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R16, WIDTH, HEIGHT, &bytes).unwrap();
        let mut output = Surface2D::new(device, Format::R16, WIDTH, HEIGHT).unwrap();
        everyday::erode::launch(device, space(4, 2), &input, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn gamma() {
    let (table, input) = (noise::bytes(256, 3), noise::bytes(WIDTH * HEIGHT, 4));
    let expected: Vec<u8> = input.iter().map(|byte| table[usize::from(*byte)]).collect();
    for device in &devices(2) {
        let (table, input) =
            (Buffer::from_slice(device, &table).unwrap(), Buffer::from_slice(device, &input).unwrap());
        let mut output = Buffer::<u8>::new(device, WIDTH * HEIGHT).unwrap();
        everyday::gamma::launch(device, space(8, 1), &table, &input, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn compose() {
    let [front, opacity, back] = [5, 6, 7].map(|seed| noise::bytes(WIDTH * HEIGHT, seed));
    let of = |n: usize| {
        let (front, alpha, back) = (u32::from(front[n]), u32::from(opacity[n]), u32::from(back[n]));
        let sum = front * alpha + back * (255 - alpha) + 128;
        ((sum + (sum >> 8)) >> 8) as u8
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).map(of).collect();
    for device in &devices(2) {
        let [front, opacity, back] = [&front, &opacity, &back].map(|bytes| surface(device, WIDTH, bytes));
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::compose::launch(device, space(2, 4), &front, &opacity, &back, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn block_differences() {
    let [current, other] = [8, 9].map(|seed| noise::bytes(WIDTH * HEIGHT, seed));
    let of = |n: usize| -> u32 {
        let (x, y) = (n % (WIDTH / 8) * 8, n / (WIDTH / 8) * 8);
        let places = (0..64).map(|k| (y + k / 8) * WIDTH + x + k % 8);
        places.map(|at| u32::from(current[at].abs_diff(other[at]))).sum()
    };
    let expected: Vec<u32> = (0..WIDTH * HEIGHT / 64).map(of).collect();
    for device in &devices(2) {
        let [current, other] = [&current, &other].map(|bytes| surface(device, WIDTH, bytes));
        let mut sums = Buffer::<u32>::new(device, WIDTH * HEIGHT / 64).unwrap();
        everyday::block_differences::launch(device, space(2, 2), &current, &other, &mut sums, 2).unwrap();
        assert_eq!(sums.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn upscale() {
    let bytes = noise::bytes(WIDTH * HEIGHT, 10);
    let at = |x: usize, y: usize| u32::from(bytes[y.min(HEIGHT - 1) * WIDTH + x.min(WIDTH - 1)]);
    let of = |n: usize| {
        let (x, y) = (n % (2 * WIDTH), n / (2 * WIDTH));
        let (right, down) = (x % 2, y % 2);
        let (x, y, count) = (x / 2, y / 2, 1 << (right + down));
        let near = (0..=right).flat_map(|i| (0..=down).map(move |j| (i, j)));
        let sum: u32 = near.map(|(i, j)| at(x + i, y + j)).sum();
        ((sum + count / 2) / count) as u8
    };
    let expected: Vec<u8> = (0..4 * WIDTH * HEIGHT).map(of).collect();
    for device in &devices(2) {
        let mut output = empty(device, 2 * WIDTH, 2 * HEIGHT);
        everyday::upscale::launch(device, space(4, 4), &surface(device, WIDTH, &bytes), &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn halve_rgba() {
    let bytes = noise::bytes(WIDTH * HEIGHT, 12);
    let of = |n: usize| {
        let (x, y, channel) = (n % (WIDTH / 2) / 4, n / (WIDTH / 2), n % 4);
        let pixel = |dx, dy| u32::from(bytes[(2 * y + dy) * WIDTH + 4 * (2 * x + dx) + channel]);
        ((pixel(0, 0) + pixel(1, 0) + pixel(0, 1) + pixel(1, 1) + 2) / 4) as u8
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT / 4).map(of).collect();
    for device in &devices(2) {
        let mut output = empty(device, WIDTH / 2, HEIGHT / 2);
        everyday::halve_rgba::launch(device, space(1, 2), &surface(device, WIDTH, &bytes), &mut output)
            .unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn escape() {
    const COUNT: usize = WIDTH / 2;
    let of = |n: usize| {
        let (x, y) = ((n % COUNT) as f32 * 0.05 - 2.0, (n / COUNT) as f32 * 0.05 - 1.0);
        let (mut re, mut im, mut count) = (x, y, 0u16);
        while count < 40 && re * re + im * im < 4.0 {
            (re, im) = (re * re - im * im + x, re * im * 2.0 + y);
            count += 1;
        }
        count
    };
    let expected: Vec<u8> = (0..COUNT * HEIGHT).flat_map(|n| of(n).to_le_bytes()).collect();
    for device in &devices(2) {
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::escape::<32>::launch(device, space(COUNT / 32, HEIGHT), &mut output, 0.05, 40).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::escape::<16>::launch(device, space(COUNT / 16, HEIGHT), &mut output, 0.05, 40).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

/// The bytes around a byte, beyond the edges those at the edges.
fn near(bytes: &[u8], n: usize, across: isize, down: isize) -> u8 {
    let at = |of: usize, by: isize, size: usize| of.saturating_add_signed(by).min(size - 1);
    bytes[at(n / WIDTH, down, HEIGHT) * WIDTH + at(n % WIDTH, across, WIDTH)]
}

#[test]
fn cross_median() {
    let bytes = noise::bytes(WIDTH * HEIGHT, 11);
    let of = |n: usize| {
        let mut five = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)].map(|(x, y)| near(&bytes, n, x, y));
        five.sort_unstable();
        five[2]
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).map(of).collect();
    for device in &devices(2) {
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::cross_median::launch(device, space(4, 2), &surface(device, WIDTH, &bytes), &mut output)
            .unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn slopes() {
    // Small steps, whose roots are exact or far from the next integer.
    let bytes: Vec<u8> = noise::bytes(WIDTH * HEIGHT, 12).iter().map(|byte| byte % 40).collect();
    let of = |n: usize| {
        let at = |x, y| i32::from(near(&bytes, n, x, y));
        let across = |y| at(1, y) - at(-1, y);
        let down = |x| at(x, 1) - at(x, -1);
        let (x, y) = (across(-1) + 2 * across(0) + across(1), down(-1) + 2 * down(0) + down(1));
        f64::from(x * x + y * y).sqrt().min(255.0)
    };
    for device in &devices(2) {
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::slopes::launch(device, space(4, 2), &surface(device, WIDTH, &bytes), &mut output).unwrap();
        for (n, found) in output.to_vec().unwrap().into_iter().enumerate() {
            // The root is cut off, and a GPU approximates it.
            let (least, most) = ((of(n) - 1e-3).max(0.0) as u8, (of(n) + 1e-3) as u8);
            assert!((least..=most).contains(&found), "{device:?}: {found} at {n}, not {}", of(n));
        }
    }
}

#[test]
fn premultiplied() {
    let [front, back] = [13, 14].map(|seed| noise::bytes(WIDTH * HEIGHT, seed));
    let of = |n: usize| {
        let (over, rest) = (u32::from(front[n]), 255 - u32::from(front[n / 4 * 4 + 3]));
        (over + ((u32::from(back[n]) * rest + 128) >> 8)).min(255) as u8
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).map(of).collect();
    for device in &devices(2) {
        let [front, back] = [&front, &back].map(|bytes| surface(device, WIDTH, bytes));
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::premultiplied::launch(device, space(2, 4), &front, &back, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn positions() {
    let [current, other] = [15, 16].map(|seed| noise::bytes(WIDTH * HEIGHT, seed));
    let of = |n: usize| -> u16 {
        let (block, across, down) = (n / 32, (n % 8) as isize - 4, (n % 32 / 8) as isize - 2);
        let places = (0..256).map(|k| k / 16 * WIDTH + block * 16 + k % 16);
        places.map(|at| u16::from(current[at].abs_diff(near(&other, at, across, down)))).sum()
    };
    let expected: Vec<u16> = (0..WIDTH / 16 * 32).map(of).collect();
    for device in &devices(2) {
        let [current, other] = [&current, &other].map(|bytes| surface(device, WIDTH, bytes));
        let mut sums = Buffer::<u16>::new(device, expected.len()).unwrap();
        everyday::positions::launch(device, space(4, 1), &current, &other, &mut sums, 4).unwrap();
        assert_eq!(sums.to_vec().unwrap(), expected, "{device:?}");
    }
}

/// A texel; those beyond the edges are the nearest ones.
fn texel(bytes: &[u8], x: i32, y: i32) -> i32 {
    let [x, y] = [(x, WIDTH), (y, HEIGHT)].map(|(at, size)| at.clamp(0, size as i32 - 1) as usize);
    bytes[y * WIDTH + x].into()
}

#[test]
fn smooth() {
    let bytes = noise::bytes(WIDTH * HEIGHT, 21);
    let weights = [(-2, 1), (-1, 4), (0, 6), (1, 4), (2, 1)];
    let of = |n: usize| {
        let (x, y) = ((n % WIDTH) as i32, (n / WIDTH) as i32);
        let row = |dy: i32| -> i32 { weights.iter().map(|(dx, w)| w * texel(&bytes, x + dx, y + dy)).sum() };
        let sum: i32 = weights.iter().map(|(dy, w)| w * row(*dy)).sum();
        ((sum + 128) >> 8) as u8
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).map(of).collect();
    for device in &devices(2) {
        let mut output = empty(device, WIDTH, HEIGHT);
        everyday::smooth::launch(device, space(4, 2), &surface(device, WIDTH, &bytes), &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn corners() {
    let bytes = noise::bytes(WIDTH * HEIGHT, 22);
    let of = |n: usize| {
        let (x, y) = ((n % WIDTH) as i32, (n / WIDTH) as i32);
        let mut sums = [0i32; 3];
        for (x, y) in (0..9).map(|k| (x + k % 3 - 1, y + k / 3 - 1)) {
            let across = texel(&bytes, x + 1, y) - texel(&bytes, x - 1, y);
            let down = texel(&bytes, x, y + 1) - texel(&bytes, x, y - 1);
            let products = [across * across, down * down, across * down];
            sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        }
        let [a, d, b] = sums.map(|sum| sum as f32);
        a * d - b * b - (a + d) * (a + d) * 0.0625
    };
    let expected: Vec<u8> = (0..WIDTH * HEIGHT).flat_map(|n| of(n).to_le_bytes()).collect();
    for device in &devices(2) {
        let mut output = Surface2D::new(device, Format::R32F, WIDTH, HEIGHT).unwrap();
        everyday::corners::launch(device, space(8, 4), &surface(device, WIDTH, &bytes), &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}
