//! Media block writes, inside and outside.

use cm::prelude::*;
use cm::{Device, Format, Surface2D};
use proptest::prelude::*;

use super::{Bytes, FORMATS};
use cm_test_support::cases::cases;
use cm_test_support::devices::{level_zero, surface_devices, takes};
use cm_test_support::spaces::one;

/// Writes a block that is an argument.
#[kernel]
fn store<const R: usize, const C: usize>(output: &mut Surface2D, block: Matrix<u8, R, C>, x: i32, y: i32) {
    output.write(x, y, &block);
}

#[kernel]
fn store_words(output: &mut Surface2D, block: Matrix<u16, 4, 6>, x: i32, y: i32) {
    output.write(x, y, &block);
}

#[kernel]
fn store_dwords(output: &mut Surface2D, block: Matrix<u32, 3, 5>, x: i32, y: i32) {
    output.write(x, y, &block);
}

/// A vector is one row.
#[kernel]
fn store_row(output: &mut Surface2D, row: Vector<u64, 8>, x: i32, y: i32) {
    output.write(x, y, &row);
}

/// Views are written like registers.
#[kernel]
fn store_views(output: &mut Surface2D, block: Matrix<u8, 4, 16>) {
    output.write(0, 0, &block.row(2));
    output.write(0, 1, &block.select::<2, 2, 8, 2>(1, 1));
    output.write(0, 3, &block.column(3).format::<u32>());
}

/// Numbers of every type, a row of 8 bytes each.
#[kernel]
fn store_numbers(
    output: &mut Surface2D,
    a: u8,
    b: i8,
    c: u16,
    d: i16,
    e: u32,
    f: i32,
    g: u64,
    h: i64,
    i: f16,
    j: f32,
    k: f64,
) {
    output.write(0, 0, &Vector::<u8, 8>::splat(a));
    output.write(0, 1, &Vector::<i8, 8>::splat(b));
    output.write(0, 2, &Vector::<u16, 4>::splat(c));
    output.write(0, 3, &Vector::<i16, 4>::splat(d));
    output.write(0, 4, &Vector::<u32, 2>::splat(e));
    output.write(0, 5, &Vector::<i32, 2>::splat(f));
    output.write(0, 6, &Vector::<u64, 1>::splat(g));
    output.write(0, 7, &Vector::<i64, 1>::splat(h));
    output.write(0, 8, &Vector::<f16, 4>::splat(i));
    output.write(0, 9, &Vector::<f32, 2>::splat(j));
    output.write(0, 10, &Vector::<f64, 1>::splat(k));
}

/// Compares a surface with the expected contents.
#[track_caller]
fn compare(output: &Surface2D, expected: &Bytes, what: &str) {
    let found = output.to_vec().expect("bytes");
    let wrong = found.iter().zip(&expected.bytes).position(|(a, b)| a != b);
    assert!(
        wrong.is_none() && found.len() == expected.bytes.len(),
        "{} {} bytes x {} rows, {what}: byte {} of row {} is wrong",
        expected.format,
        expected.width,
        expected.height,
        wrong.unwrap_or(0) % expected.width,
        wrong.unwrap_or(0) / expected.width
    );
}

/// Writes a block of random bytes and compares the whole surface.
fn check<const R: usize, const C: usize>(device: &Device, before: &Bytes, x: i32, y: i32) {
    let rows: [[u8; C]; R] = std::array::from_fn(|i| std::array::from_fn(|j| (i * 89 + j * 7 + 1) as u8));
    let mut output = before.surface(device);
    let block = Matrix::<u8, R, C>::constant_any(rows);
    let _ = store::<R, C>::launch(device, one(), &mut output, block, x, y).expect("a launch");
    let mut expected = before.clone();
    expected.put(x.into(), y.into(), C, rows.as_flattened());
    compare(&output, &expected, &format!("a block of {C} x {R} at ({x}, {y})"));
}

/// All positions around surfaces that are smaller or larger than the block; on GPUs each seventh.
#[test]
fn corners_and_edges() {
    for device in &surface_devices(1) {
        let mut example = 0;
        for (format, ..) in FORMATS {
            for (width, height) in [(4, 1), (8, 3), (32, 8), (36, 9), (100, 20)] {
                let before = Bytes::new(format, width, height, 23);
                let (right, below) = (width as i32, height as i32);
                for x in [-36, -32, -28, -4, 0, 4, right - 32, right - 4, right, right + 4] {
                    for y in [-9, -8, -7, -1, 0, 1, below - 8, below - 1, below, below + 3] {
                        if takes(device, example) {
                            check::<8, 32>(device, &before, x, y);
                        }
                        example += 1;
                    }
                }
            }
        }
    }
}

#[test]
fn as_far_as_coordinates_go() {
    for device in &surface_devices(1) {
        let before = Bytes::new(Format::R8, 13, 5, 1);
        for x in [i32::MIN, i32::MIN + 8, 0, i32::MAX - 3, i32::MAX - 63] {
            for y in [i32::MIN, i32::MIN + 1, 2, i32::MAX - 1, i32::MAX] {
                check::<4, 64>(device, &before, x, y);
                check::<64, 4>(device, &before, x, y);
            }
        }
    }
}

#[test]
fn every_shape_of_the_hardware() {
    for device in &surface_devices(1) {
        let before = Bytes::new(Format::R8, 61, 50, 5);
        macro_rules! shapes {
            ($($rows:literal $columns:literal)*) => {$(
                for (x, y) in [(0, 0), (-4, -2), (8, 11), (60 - $columns, 48), (60, 49), (32, -$rows), (-$columns, 3)] {
                    check::<$rows, $columns>(device, &before, x, y);
                }
            )*};
        }
        shapes!(1 4 64 4 32 8 16 12 16 16 8 20 8 24 8 28 8 32 4 36 4 40 4 44 4 48 4 52 4 56 4 60 4 64 1 64 3 12);
    }
}

#[test]
fn views_are_blocks() {
    for device in &surface_devices(1) {
        let rows: [[u8; 16]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| (i * 16 + j) as u8));
        let mut output = Surface2D::new(device, Format::R8, 16, 4).expect("a surface");
        let _ = store_views::launch(device, one(), &mut output, Matrix::from_array(rows)).expect("a launch");
        let mut expected = [[0u8; 16]; 4];
        expected[0] = rows[2];
        expected[1][..8].copy_from_slice(&[17, 19, 21, 23, 25, 27, 29, 31]);
        expected[2][..8].copy_from_slice(&[49, 51, 53, 55, 57, 59, 61, 63]);
        expected[3][..4].copy_from_slice(&[3, 19, 35, 51]);
        assert_eq!(output.to_vec().expect("bytes"), expected.as_flattened());
    }
}

#[test]
fn numbers_of_every_type_are_arguments() {
    for device in &surface_devices(1) {
        let mut output = Surface2D::new(device, Format::R8, 8, 11).expect("a surface");
        let half = f16::from_bits(0xc123);
        let (g, h) = (0x0102_0304_0506_0708u64, -0x0102_0304_0506_0708i64);
        let launched = store_numbers::launch(
            device,
            one(),
            &mut output,
            200,
            -100,
            60000,
            -30000,
            4_000_000_000,
            -2_000_000_000,
            g,
            h,
            half,
            -1.5e30,
            1e300,
        );
        // GPUs from Xe-LP to Xe-LPG have no 64-bit floats.
        if let (true, Err(error)) = (level_zero().is_some(), &launched) {
            assert!(error.to_string().contains("there is no f64"), "{error}");
            continue;
        }
        assert!(launched.is_ok());
        let rows = [
            [200; 8].to_vec(),
            [156; 8].to_vec(),
            60000u16.to_le_bytes().repeat(4),
            (-30000i16).to_le_bytes().repeat(4),
            4_000_000_000u32.to_le_bytes().repeat(2),
            (-2_000_000_000i32).to_le_bytes().repeat(2),
            g.to_le_bytes().to_vec(),
            h.to_le_bytes().to_vec(),
            [0x23, 0xc1].repeat(4),
            (-1.5e30f32).to_le_bytes().repeat(2),
            1e300f64.to_le_bytes().to_vec(),
        ];
        assert_eq!(output.to_vec().expect("bytes"), rows.concat());
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn anywhere(
        format in 0..FORMATS.len(), groups in 1usize..20, height in 1usize..20, x in -10i32..30, y in -10i32..25,
        words: [[u16; 6]; 4], dwords: [[u32; 5]; 3], qwords: [u64; 8], seed: u16,
    ) {
        for device in &surface_devices(1) {
            let (format, left, _) = FORMATS[format];
            let before = Bytes::new(format, groups * left.len(), height, seed.into());
            // Writes start at whole dwords.
            let x = 4 * x;
            check::<2, 12>(device, &before, x, y);

            let at = |what: &str| format!("{what} at ({x}, {y})");
            let (mut output, mut expected) = (before.surface(device), before.clone());
            let _ = store_words::launch(device, one(), &mut output, Matrix::from_array(words), x, y).expect("a launch");
            let bytes: Vec<u8> = words.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
            expected.put(x.into(), y.into(), 12, &bytes);
            compare(&output, &expected, &at("6 x 4 words"));

            let _ = store_dwords::launch(device, one(), &mut output, Matrix::from_array(dwords), x, y).expect("a launch");
            let bytes: Vec<u8> = dwords.as_flattened().iter().flat_map(|dword| dword.to_le_bytes()).collect();
            expected.put(x.into(), y.into(), 20, &bytes);
            compare(&output, &expected, &at("5 x 3 dwords"));

            let _ = store_row::launch(device, one(), &mut output, Vector::from_array(qwords), x, y).expect("a launch");
            let bytes: Vec<u8> = qwords.iter().flat_map(|qword| qword.to_le_bytes()).collect();
            expected.put(x.into(), y.into(), 64, &bytes);
            compare(&output, &expected, &at("a row of 8 qwords"));
        }
    }
}
