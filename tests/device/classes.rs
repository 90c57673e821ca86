//! One kernel of each class against an independent scalar implementation.

use cm::prelude::*;
use cm_test_kernels::classes;
use cm_test_support::devices::devices;
use cm_test_support::noise;
use cm_test_support::spaces::{empty, space, surface};

const WIDTH: usize = 64;
const HEIGHT: usize = 24;

/// The 3 x 3 texels around each texel, row by row; edges are repeated.
fn neighbours(bytes: &[u8], of: impl Fn([i32; 9]) -> u8) -> Vec<u8> {
    let at = |x: usize, y: usize, n: usize| {
        let x = (x + n % 3).clamp(1, WIDTH) - 1;
        let y = (y + n / 3).clamp(1, HEIGHT) - 1;
        i32::from(bytes[y * WIDTH + x])
    };
    (0..WIDTH * HEIGHT).map(|n| of(std::array::from_fn(|k| at(n % WIDTH, n / WIDTH, k)))).collect()
}

#[test]
fn kernels_of_neighbours() {
    let bytes = noise::bytes(WIDTH * HEIGHT, 0);
    for device in &devices(2) {
        let input = surface(device, WIDTH, &bytes);
        let mut output = empty(device, WIDTH, HEIGHT);
        classes::gradients::launch(device, space(4, 3), &input, &mut output).unwrap();
        let gradients = neighbours(&bytes, |[a, b, c, d, _, f, g, h, i]| {
            let across = (c - a) + 2 * (f - d) + (i - g);
            let down = (g - a) + 2 * (h - b) + (i - c);
            (across.abs() + down.abs()).min(255) as u8
        });
        assert_eq!(output.to_vec().unwrap(), gradients, "{device:?}");
        classes::median::launch(device, space(4, 3), &input, &mut output).unwrap();
        let medians = neighbours(&bytes, |mut all| {
            all.sort_unstable();
            all[4] as u8
        });
        assert_eq!(output.to_vec().unwrap(), medians, "{device:?}");
    }
}

#[test]
fn kernels_of_colours() {
    let (front, back) = (noise::bytes(WIDTH * HEIGHT, 0), noise::bytes(WIDTH * HEIGHT, 1));
    for device in &devices(2) {
        let (over, under) = (surface(device, WIDTH, &front), surface(device, WIDTH, &back));
        let mut output = empty(device, WIDTH, HEIGHT);
        classes::blend::launch(device, space(2, 6), &over, &under, &mut output).unwrap();
        let blended: Vec<u8> = (0..front.len())
            .map(|n| {
                let alpha = u32::from(front[n | 3]);
                let sum = u32::from(front[n]) * alpha + u32::from(back[n]) * (255 - alpha) + 128;
                ((sum + (sum >> 8)) >> 8) as u8
            })
            .collect();
        assert_eq!(output.to_vec().unwrap(), blended, "{device:?}");

        let colours = surface(device, WIDTH, &back[..WIDTH * HEIGHT / 2]);
        let (mut output, mut wide) = (empty(device, 4 * WIDTH, HEIGHT), empty(device, 4 * WIDTH, HEIGHT));
        classes::nv12::<16, 1>::launch(device, space(4, 12), &over, &colours, &mut output).unwrap();
        classes::nv12::<64, 4>::launch(device, space(1, 12), &over, &colours, &mut wide).unwrap();
        let texel = |n: usize| {
            let (x, y) = (n % WIDTH, n / WIDTH);
            let pair = y / 2 * WIDTH + x / 2 * 2;
            let (u, v) = (i32::from(back[pair]) - 128, i32::from(back[pair + 1]) - 128);
            let bright = (i32::from(front[n]) - 16) * 298 + 128;
            let byte = |x: i32| (x >> 8).clamp(0, 255) as u8;
            [byte(bright + v * 409), byte(bright - u * 100 - v * 208), byte(bright + u * 516), 255]
        };
        let expected: Vec<u8> = (0..front.len()).flat_map(texel).collect();
        assert_eq!(wide.to_vec().unwrap(), expected, "{device:?}");
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn kernels_of_other_sizes() {
    let bytes = noise::bytes(WIDTH * HEIGHT, 0);
    for device in &devices(2) {
        let mut output = empty(device, WIDTH / 2, HEIGHT / 2);
        classes::downsample::launch(device, space(2, 3), &surface(device, WIDTH, &bytes), &mut output)
            .unwrap();
        let mean = |n: usize| {
            let first = n / (WIDTH / 2) * 2 * WIDTH + n % (WIDTH / 2) * 2;
            let sum = [0, 1, WIDTH, WIDTH + 1].map(|at| u32::from(bytes[first + at])).iter().sum::<u32>();
            ((sum + 2) >> 2) as u8
        };
        let means: Vec<u8> = (0..WIDTH * HEIGHT / 4).map(mean).collect();
        assert_eq!(output.to_vec().unwrap(), means, "{device:?}");
    }
}

#[test]
fn kernels_of_floats() {
    const SIDE: usize = 16;
    let numbers: Vec<f32> = noise::bytes(SIDE * SIDE, 0).iter().map(|byte| f32::from(*byte) / 7.0).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let halves: Vec<f16> =
        noise::bytes(128 * 4, 0).iter().map(|byte| f16::from_f32(f32::from(*byte) / 64.0)).collect();
    let half_bytes: Vec<u8> = halves.iter().flat_map(|x| x.to_le_bytes()).collect();
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R32F, SIDE, SIDE, &bytes).unwrap();
        let mut output = Surface2D::new(device, Format::R32F, SIDE, SIDE).unwrap();
        classes::blur5::launch(device, space(2, 2), &input, &mut output).unwrap();
        let weighted = |[a, b, c, d, e]: [f32; 5]| (a + e) * 0.0625 + (b + d) * 0.25 + c * 0.375;
        let near = |at: usize| std::array::from_fn::<usize, 5, _>(|k| (at + k).clamp(2, SIDE + 1) - 2);
        let blurred = |n: usize| {
            let row = |y: usize| weighted(near(n % SIDE).map(|x| numbers[y * SIDE + x]));
            weighted(near(n / SIDE).map(row))
        };
        let expected: Vec<u8> = (0..SIDE * SIDE).flat_map(|n| blurred(n).to_le_bytes()).collect();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");

        let input = Surface2D::from_bytes(device, Format::R16, 128, 4, &half_bytes).unwrap();
        let mut output = Surface2D::new(device, Format::R16, 128, 4).unwrap();
        classes::half_polynomial::launch(device, space(4, 1), &input, &mut output).unwrap();
        let [a, b, c, d] = [0.25, -0.5, 1.5, 0.125].map(f16::from_f32);
        let expected: Vec<u8> =
            halves.iter().flat_map(|v| (((*v * a + b) * *v + c) * *v + d).to_le_bytes()).collect();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}
