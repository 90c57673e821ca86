//! Media block reads, inside and outside.

use cm::prelude::*;
use cm::{Device, Error, Event, Format, LevelZeroError, Surface2D, ThreadSpace};
use proptest::prelude::*;

use super::{Bytes, FORMATS};
use cm_test_support::cases::cases;
use cm_test_support::devices::{surface_devices, takes};

/// Reads a block at any position, and writes its rows at the top left, one to each row of 64 bytes.
#[kernel]
fn fetch<const R: usize, const C: usize>(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    let block = input.read::<u8, R, C>(x, y);
    for i in 0..R {
        // A write needs whole dwords, a read takes any width.
        let mut row = Vector::<u8, 64>::splat(0);
        row.select_mut::<C, 1>(0).assign(block.row(i));
        output.write(0, i, &row);
    }
}

/// The same bytes as elements of other types.
#[kernel]
fn fetch_words(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    output.write(0, 0, &input.read::<u16, 8, 16>(x, y));
}

#[kernel]
fn fetch_dwords(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    output.write(0, 0, &input.read::<u32, 8, 8>(x, y));
}

#[kernel]
fn fetch_floats(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    output.write(0, 0, &input.read::<f32, 8, 8>(x, y));
}

#[kernel]
fn fetch_qwords(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    output.write(0, 0, &input.read::<i64, 8, 4>(x, y));
}

#[kernel]
fn fetch_bytes(input: &Surface2D, output: &mut Surface2D, x: i32, y: i32) {
    output.write(0, 0, &input.read::<i8, 8, 32>(x, y));
}

type Fetch = fn(&Device, ThreadSpace, &Surface2D, &mut Surface2D, i32, i32) -> cm::Result<Event>;

/// Reads at (x, y) with a kernel that writes to the start of rows of 64 bytes, and compares.
#[track_caller]
fn check(device: &Device, input: &Bytes, fetch: Fetch, (rows, columns): (usize, usize), x: i32, y: i32) {
    let mut output = Surface2D::new(device, Format::R8, 64, rows).expect("a surface");
    let one = ThreadSpace::new(1, 1).expect("one thread");
    match fetch(device, one, &input.surface(device), &mut output, x, y) {
        // Coordinates from arguments may be anywhere.
        Err(Error::LevelZero(LevelZeroError::PackedYuvEdge { .. })) => {
            return assert!(input.format.is_packed_yuv() && !device.has_surfaces_in_buffers());
        }
        launched => drop(launched.expect("a launch")),
    }
    let found = output.to_vec().expect("bytes");
    for i in 0..rows {
        for j in 0..columns {
            let expected = input.at(i64::from(x) + j as i64, i64::from(y) + i as i64);
            assert_eq!(
                found[i * 64 + j],
                expected,
                "{} {} bytes x {} rows, a block of {columns} x {rows} at ({x}, {y}): byte {j} of row {i}",
                input.format,
                input.width,
                input.height
            );
        }
    }
}

/// Examples of formats: 8 bytes to the left of a row, the row, and 8 bytes to the right of it.
#[test]
fn edges_by_table() {
    let table = [
        (Format::R8, "abcd", "aaaaaaaa", "dddddddd"),
        (Format::R8, "abcdefg", "aaaaaaaa", "gggggggg"),
        (Format::R8, "a", "aaaaaaaa", "aaaaaaaa"),
        (Format::R16, "abcd", "abababab", "cdcdcdcd"),
        (Format::R16, "abcdef", "abababab", "efefefef"),
        (Format::R16, "ab", "abababab", "abababab"),
        (Format::R32, "abcdefgh", "abcdabcd", "efghefgh"),
        (Format::R32F, "abcdefghijkl", "abcdabcd", "ijklijkl"),
        (Format::Rgba8, "rgba", "rgbargba", "rgbargba"),
        (Format::Bgra8, "bgraBGRA", "bgrabgra", "BGRABGRA"),
        (Format::Yuyv, "yuYv", "yuyvyuyv", "YuYvYuYv"),
        (Format::Yuyv, "1u2v3s4t", "1u1v1u1v", "4s4t4s4t"),
        (Format::Uyvy, "uyvY", "uyvyuyvy", "uYvYuYvY"),
        (Format::Uyvy, "u1v2s3t4", "u1v1u1v1", "s4t4s4t4"),
    ];
    for device in &surface_devices(1) {
        // GPUs reject reads that may leave images of packed YUV.
        let everywhere = !device.is_gpu() || device.has_surfaces_in_buffers();
        for (format, row, left, right) in
            table.into_iter().filter(|(format, ..)| everywhere || !format.is_packed_yuv())
        {
            let bytes = Bytes { format, width: row.len(), height: 1, bytes: row.as_bytes().to_vec() };
            let surface = bytes.surface(device);
            let mut output = Surface2D::new(device, Format::R8, 64, 1).expect("a surface");
            let one = ThreadSpace::new(1, 1).expect("one thread");
            let mut read = |x: i32, len: usize| {
                let _ = fetch::<1, 64>::launch(device, one, &surface, &mut output, x, 0).expect("a launch");
                String::from_utf8(output.to_vec().expect("bytes")[..len].to_vec()).expect("letters")
            };
            let whole = format!("{left}{row}{right}");
            assert_eq!(read(-8, whole.len()), whole, "{format} {row}");
            assert_eq!(read(row.len() as i32, 8), right, "{format} {row}: right of it");
            assert_eq!(read(-64, 64), left.repeat(8), "{format} {row}: left of it");
            assert_eq!(read(-8, 8), left, "{format} {row}: the last bytes left of it");
            assert_eq!(read(i32::MIN, 64), left.repeat(8), "{format} {row}: as far left as can be");
            // The formulas of the rule give the same patterns.
            assert_eq!(
                (-8..0).map(|x| char::from(bytes.at(x, 0))).collect::<String>(),
                left,
                "{format} {row}"
            );
        }
    }
}

/// Every corner and edge of surfaces that are smaller or larger than the block; on GPUs each seventh.
#[test]
fn corners_and_edges() {
    for device in &surface_devices(1) {
        let mut example = 0;
        for (format, left, _) in FORMATS {
            for (width, height) in [(4, 1), (8, 3), (32, 8), (36, 9), (100, 20)] {
                let input = Bytes::new(format, width, height, 17);
                let (right, below) = (width as i32, height as i32);
                let step = left.len() as i32;
                for x in [
                    -32,
                    -28,
                    -step,
                    0,
                    step,
                    right - 32,
                    right - 4,
                    right - step,
                    right,
                    right + 4,
                    right + 40,
                ] {
                    for y in [-9, -7, -1, 0, 1, below - 8, below - 1, below, below + 3] {
                        if takes(device, example) {
                            check(device, &input, fetch::<8, 32>::launch, (8, 32), x, y);
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
        for (format, ..) in FORMATS {
            let input = Bytes::new(format, 16, 5, 3);
            for x in [i32::MIN, i32::MIN + 8, 0, i32::MAX - 3, i32::MAX - 63] {
                for y in [i32::MIN, i32::MIN + 1, 2, i32::MAX - 1, i32::MAX] {
                    check(device, &input, fetch::<8, 32>::launch, (8, 32), x, y);
                }
            }
        }
    }
}

/// Blocks of every width, with as many rows as fit 256 bytes at the pitch of the width.
#[test]
fn every_width() {
    for device in &surface_devices(1) {
        let input = Bytes::new(Format::R8, 61, 50, 5);
        macro_rules! widths {
            ($($rows:literal: $($columns:literal)*;)*) => {$($(
                for (x, y) in [(0, 0), (-3, -2), (7, 11), (60 - $columns, 48), (61 - $columns, 50 - $rows), (33, 20), (61, 50)] {
                    check(device, &input, fetch::<$rows, $columns>::launch, ($rows, $columns), x, y);
                }
            )*)*};
        }
        widths! {
            64: 1 2 3 4;
            32: 5 6 7 8;
            16: 9 10 11 12 13 14 15 16;
            8: 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32;
            4: 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64;
        }
    }
}

/// A thread reads the data that it wrote.
#[test]
fn reads_see_earlier_writes_of_the_thread() {
    #[kernel]
    fn twice(image: &mut Surface2D) {
        for _ in 0..3 {
            let mut block = image.read::<u8, 2, 8>(0, 0);
            block += 1;
            image.write(4, 0, &block);
        }
    }
    for device in &surface_devices(1) {
        let mut image = Surface2D::from_bytes(device, Format::R8, 12, 2, &[0; 24]).expect("a surface");
        let _ =
            twice::launch(device, ThreadSpace::new(1, 1).expect("one thread"), &mut image).expect("a launch");
        let row = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2];
        assert_eq!(image.to_vec().expect("bytes"), [row, row].concat());
    }
}

/// A transposed block of any shape, with its rows at the start of rows of 32 bytes.
#[kernel]
fn fetch_transposed<const R: usize, const C: usize>(
    input: &Surface2D,
    output: &mut Surface2D,
    x: i32,
    y: i32,
) {
    let block = input.read_transpose::<u32, R, C>(x, y);
    for i in 0..C {
        let mut row = Vector::<u32, 8>::splat(0);
        row.select_mut::<R, 1>(0).assign(block.row(i));
        output.write(0, i, &row);
    }
}

#[test]
fn transposed_blocks_have_their_columns_as_rows() {
    let input = Bytes::new(Format::R32, 44, 11, 8);
    for device in &surface_devices(1) {
        let surface = input.surface(device);
        macro_rules! shapes {
            ($($rows:literal x $columns:literal)*) => {$(
                for (x, y) in [(0, 0), (8, 3), (-12, -5), (32, 9), (400, i32::MAX)] {
                    let mut output = Surface2D::new(device, Format::R8, 32, 8).unwrap();
                    let one = ThreadSpace::new(1, 1).unwrap();
                    fetch_transposed::<$rows, $columns>::launch(device, one, &surface, &mut output, x, y).unwrap();
                    let found = output.to_vec().unwrap();
                    for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
                        for byte in 0..4 {
                            let (column, row) = (i64::from(x) + i * 4 + byte, i64::from(y) + j);
                            let expected =
                                if i < $columns && j < $rows { input.at(column, row) } else { 0 };
                            let at = (i * 32 + j * 4 + byte) as usize;
                            assert_eq!(found[at], expected, "{}x{} at {x}, {y}: {i}, {j}", $rows, $columns);
                        }
                    }
                }
            )*};
        }
        shapes! { 1 x 1 1 x 2 1 x 4 1 x 8 2 x 1 2 x 2 2 x 4 2 x 8 4 x 1 4 x 2 4 x 4 4 x 8 8 x 1 8 x 2 8 x 4 8 x 8 }
    }
    let refused = fetch_transposed::<3, 4>::ir().unwrap_err().to_string();
    assert!(refused.contains("a transposing read of 3 rows"), "{refused}");
}

fn formats() -> impl Strategy<Value = usize> {
    0..FORMATS.len()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn anywhere(
        format in formats(), groups in 1usize..20, height in 1usize..20, x in -30i32..60, y in -25i32..45,
        seed: u16, block in 0usize..8,
    ) {
        let (format, left, _) = FORMATS[format];
        let input = Bytes::new(format, groups * left.len(), height, seed.into());
        // Blocks start at whole texels.
        let x = x * left.len() as i32;
        let (shape, launch): (_, Fetch) = [
            ((8, 32), fetch::<8, 32>::launch as Fetch),
            ((1, 64), fetch::<1, 64>::launch),
            ((64, 4), fetch::<64, 4>::launch),
            ((8, 30), fetch::<8, 30>::launch),
            ((16, 12), fetch::<16, 12>::launch),
            ((1, 1), fetch::<1, 1>::launch),
            ((4, 60), fetch::<4, 60>::launch),
            ((3, 7), fetch::<3, 7>::launch),
        ][block];
        for device in &surface_devices(1) {
            check(device, &input, launch, shape, x, y);
        }
    }

    /// The element type only groups bytes; it does not change them.
    #[test]
    fn element_types_are_groups_of_bytes(
        format in formats(), groups in 1usize..20, height in 1usize..20, x in -12i32..24, y in -10i32..25, seed: u16,
    ) {
        let (format, left, _) = FORMATS[format];
        let input = Bytes::new(format, groups * left.len(), height, seed.into());
        let x = x * left.len() as i32;
        for launch in [fetch_bytes::launch as Fetch, fetch_words::launch, fetch_dwords::launch, fetch_floats::launch,
            fetch_qwords::launch]
        {
            for device in &surface_devices(1) {
                check(device, &input, launch, (8, 32), x, y);
            }
        }
    }
}
