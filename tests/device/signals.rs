//! Kernels of signals, against independent scalar implementations.

use cm::prelude::*;
use cm_test_kernels::signals;
use cm_test_support::devices::devices;
use cm_test_support::noise;
use cm_test_support::spaces::space;

fn words(len: usize, seed: usize) -> Vec<u16> {
    noise::bytes(2 * len, seed).chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect()
}

fn floats(len: usize, seed: usize) -> Vec<f32> {
    noise::bytes(len, seed).into_iter().map(|byte| f32::from(byte) / 16.0 - 7.5).collect()
}

fn close(found: &[f32], expected: &[f32]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= b.abs() * 1e-5)
}

#[test]
fn numbers_of_ten_bits() {
    let numbers: Vec<u16> = words(3 * 96, 1).into_iter().map(|x| x & 1023).collect();
    let of = |three: &[u16]| three.iter().rev().fold(0, |all, x| all << 10 | u32::from(*x));
    let packed: Vec<u32> = numbers.chunks(3).map(of).collect();
    for device in &devices(2) {
        let mut dwords = Buffer::<u32>::new(device, packed.len()).unwrap();
        signals::pack10::launch(
            device,
            space(3, 1),
            &Buffer::from_slice(device, &numbers).unwrap(),
            &mut dwords,
        )
        .unwrap();
        assert_eq!(dwords.to_vec().unwrap(), packed, "{device:?}");
        let mut again = Buffer::<u16>::new(device, numbers.len()).unwrap();
        signals::unpack10::launch(device, space(3, 1), &dwords, &mut again).unwrap();
        assert_eq!(again.to_vec().unwrap(), numbers, "{device:?}");
    }
}

#[test]
fn norms() {
    let x = floats(16 * 64, 2);
    let of = |row: &[f32]| (1.0 / row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt()) as f32;
    let expected: Vec<f32> = x.chunks(64).map(of).collect();
    for device in &devices(2) {
        let mut y = Buffer::<f32>::new(device, 16).unwrap();
        signals::norms::launch(device, space(2, 1), &Buffer::from_slice(device, &x).unwrap(), &mut y)
            .unwrap();
        assert!(close(&y.to_vec().unwrap(), &expected), "{device:?}");
    }
}

#[test]
fn moments() {
    let bytes = noise::bytes(64 * 32, 3);
    let tile = |n: usize| {
        let at = move |k: usize| (n / 4 * 16 + k / 16) * 64 + n % 4 * 16 + k % 16;
        let each = (0..256).map(|k| u32::from(bytes[at(k)]));
        [each.clone().sum(), each.map(|x| x * x).sum(), 0, 0]
    };
    let expected: Vec<u32> = (0..8).flat_map(tile).collect();
    for device in &devices(2) {
        let input = Surface2D::from_bytes(device, Format::R8, 64, 32, &bytes).unwrap();
        let mut output = Buffer::<u32>::new(device, expected.len()).unwrap();
        signals::moments::launch(device, ThreadSpace::new(4, 2).unwrap(), &input, &mut output, 4).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn half_axpy() {
    let [x, y] = [4, 5].map(|seed| floats(3 * 128, seed).into_iter().map(f16::from_f32).collect::<Vec<_>>());
    let a = f16::from_f32(0.375);
    let expected: Vec<f16> = x.iter().zip(&y).map(|(x, y)| *x * a + *y).collect();
    for device in &devices(2) {
        let mut sums = Buffer::from_slice(device, &y).unwrap();
        signals::half_axpy::launch(
            device,
            space(3, 1),
            a,
            &Buffer::from_slice(device, &x).unwrap(),
            &mut sums,
        )
        .unwrap();
        assert_eq!(sums.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn resample() {
    let (bytes, weights) = (noise::bytes(100, 6), floats(64, 7));
    let of = |n: usize| -> f32 {
        let place = n as f32 * 0.8125;
        let (whole, phase) = (place as usize, (place.fract() * 16.0) as usize);
        (0..4).map(|k| bytes.get(whole + k).map_or(0.0, |x| f32::from(*x)) * weights[phase * 4 + k]).sum()
    };
    let expected: Vec<f32> = (0..128).map(of).collect();
    for device in &devices(2) {
        let input = Buffer::from_slice(device, &bytes).unwrap();
        let table = Buffer::from_slice(device, &weights).unwrap();
        let mut output = Buffer::<f32>::new(device, 128).unwrap();
        signals::resample::launch(device, space(4, 1), &input, &table, &mut output, 0.8125).unwrap();
        assert!(close(&output.to_vec().unwrap(), &expected), "{device:?}");
    }
}

#[test]
fn transformed() {
    let (matrix, x) = (floats(16, 8), floats(3 * 64, 9));
    let of = |n: usize| {
        let (vector, row) = (&x[n / 4 * 4..][..4], &matrix[n % 4 * 4..][..4]);
        vector.iter().zip(row).map(|(x, factor)| x * factor).reduce(|sum, x| sum + x).unwrap()
    };
    let expected: Vec<f32> = (0..x.len()).map(of).collect();
    let matrix =
        Matrix::from_array([0, 1, 2, 3].map(|row| [0, 1, 2, 3].map(|column| matrix[row * 4 + column])));
    for device in &devices(2) {
        let input = Buffer::from_slice(device, &x).unwrap();
        let mut output = Buffer::<f32>::new(device, x.len()).unwrap();
        signals::transformed::launch(device, space(3, 1), matrix, &input, &mut output).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}
