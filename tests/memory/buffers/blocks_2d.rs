//! 2-D blocks, element by element, against the same on slices: every form, and across every edge.

use cm::CpuEngine;
use cm::prelude::*;
use cm_test_kernels::{blocks_2d as kernels, for_each_load_2d, for_each_store_2d};
use cm_test_support::buffers::from_bytes;
use cm_test_support::devices::devices;
use cm_test_support::noise::finite_bytes;
use cm_test_support::spaces::space;

/// Bytes of a row, rows, and bytes from row to row: with gaps, without, and rows that end with the buffer.
const PICTURES: [[usize; 3]; 3] = [[80, 9, 96], [64, 40, 64], [136, 33, 144]];

/// Columns in dwords and rows: inside, across each edge, outside, and at the limits of `i32`.
const PLACES: [[i32; 2]; 12] = [
    [0, 0],
    [2, 1],
    [-2, 3],
    [17, 2],
    [30, 0],
    [4, -3],
    [0, 7],
    [-4, 30],
    [-40, 0],
    [0, -40],
    [1 << 29, 1 << 30],
    [-(1 << 29), i32::MIN],
];

/// The byte offset of an element in a picture.
fn byte([width, height, pitch]: [usize; 3], size: usize, column: i64, row: i64) -> Option<usize> {
    let at = column * size as i64;
    let inside = 0 <= at && at + size as i64 <= width as i64 && 0 <= row && row < height as i64;
    inside.then(|| row as usize * pitch + at as usize)
}

/// The forms in the test: the position in memory of the element at a row and column of the result.
trait Expected {
    fn place(rows: usize, columns: usize, size: usize, r: usize, c: usize) -> [usize; 2];
}

impl<const N: usize> Expected for cm::block_2d::Plain<N> {
    fn place(rows: usize, columns: usize, _: usize, r: usize, c: usize) -> [usize; 2] {
        let own = rows / N;
        [r % own, r / own * columns + c]
    }
}

impl Expected for cm::block_2d::Transpose {
    fn place(_: usize, _: usize, _: usize, r: usize, c: usize) -> [usize; 2] {
        [c, r]
    }
}

impl<const N: usize> Expected for cm::block_2d::Pack<N> {
    fn place(rows: usize, columns: usize, size: usize, r: usize, c: usize) -> [usize; 2] {
        let (own, packed) = (rows / N, 4 / size);
        [r % own * packed + c % packed, r / own * (columns / packed) + c / packed]
    }
}

#[test]
fn loads() -> cm::Result<()> {
    use cm::block_2d::{Pack, Plain, Transpose};
    macro_rules! check {
        ($($name:ident: $t:ident $r:literal x $c:literal $form:ty;)*) => {$(
            for device in &devices(1) {
                for picture in PICTURES {
                    let [width, height, pitch] = picture;
                    let size = size_of::<$t>();
                    let input = finite_bytes(((height - 1) * pitch + width).next_multiple_of(8), 3);
                    let x = from_bytes::<$t>(device, &input)?;
                    for [dwords, row] in PLACES {
                        // Offsets inside of a dword are rounded down.
                        for offset in 0..4_usize.div_ceil(size) {
                            let first = i64::from(dwords) * 4 / size as i64;
                            let at = Buffer::from_slice(device, &[first as i32 + offset as i32, row, 0, 0])?;
                            let mut y = Buffer::<$t>::new(device, $r * $c)?;
                            let [w, h, p] = picture.map(|n| n as i32);
                            kernels::$name::launch(device, space(1, 1), &x, &at, &mut y, w, h, p)?;
                            let mut expected = vec![0; $r * $c * size];
                            for (r, c) in (0..$r).flat_map(|r| (0..$c).map(move |c| (r, c))) {
                                let [below, beside] = <$form as Expected>::place($r, $c, size, r, c);
                                let (column, row) = (first + beside as i64, i64::from(row) + below as i64);
                                if let Some(from) = byte(picture, size, column, row) {
                                    expected[(r * $c + c) * size..][..size].copy_from_slice(&input[from..][..size]);
                                }
                            }
                            let found = y.to_vec()?;
                            let found: &[u8] = bytemuck::cast_slice(&found);
                            assert!(
                                found == expected,
                                "{} of {picture:?} at {dwords} {row} {offset} on {}: {found:?} {expected:?}",
                                stringify!($name),
                                device.name()
                            );
                        }
                    }
                }
            }
        )*};
    }
    for_each_load_2d!(check);
    Ok(())
}

#[test]
fn stores() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident $r:literal x $c:literal;)*) => {$(
            for device in &devices(1) {
                for picture in PICTURES {
                    let [width, height, pitch] = picture;
                    let size = size_of::<$t>();
                    let block = finite_bytes(512, 4);
                    let old = finite_bytes(((height - 1) * pitch + width).next_multiple_of(8) + 16, 5);
                    let x = from_bytes::<$t>(device, &block)?;
                    for [dwords, row] in PLACES {
                        for offset in 0..4_usize.div_ceil(size) {
                            let first = i64::from(dwords) * 4 / size as i64;
                            let at = Buffer::from_slice(device, &[first as i32 + offset as i32, row, 0, 0])?;
                            let mut y = from_bytes::<$t>(device, &old)?;
                            let [w, h, p] = picture.map(|n| n as i32);
                            kernels::$name::launch(device, space(1, 1), &x, &at, &mut y, w, h, p)?;
                            let mut expected = old.clone();
                            for (r, c) in (0..$r).flat_map(|r| (0..$c).map(move |c| (r, c))) {
                                let (column, row) = (first + c as i64, i64::from(row) + r as i64);
                                if let Some(to) = byte(picture, size, column, row) {
                                    expected[to..][..size].copy_from_slice(&block[r * 64 + c * size..][..size]);
                                }
                            }
                            let found = y.to_vec()?;
                            assert!(
                                bytemuck::cast_slice::<_, u8>(&found) == expected,
                                "{} of {picture:?} at {dwords} {row} {offset} on {}",
                                stringify!($name),
                                device.name()
                            );
                        }
                    }
                }
            }
        )*};
    }
    for_each_store_2d!(check);
    Ok(())
}

#[test]
fn hints_change_nothing() -> cm::Result<()> {
    for device in &devices(1) {
        let input = finite_bytes(2048, 6);
        let (x, dwords) = (from_bytes::<u16>(device, &input)?, from_bytes::<u32>(device, &input)?);
        let mut y = Buffer::<u32>::new(device, 128)?;
        kernels::hints_2d::launch(device, space(1, 1), &x, &dwords, &mut y)?;
        let (word, dword) = (
            |row: usize, column: usize| {
                u32::from(bytemuck::pod_read_unaligned::<u16>(&input[row * 64 + column * 2..][..2]))
            },
            |row: usize, column: usize| {
                bytemuck::pod_read_unaligned::<u32>(&input[row * 64 + column * 4..][..4])
            },
        );
        let sum = |c: usize| {
            let words = word(0, c)
                + word(1, 16 + c)
                + word(2, 24 + c)
                // Each dword has two rows of a column.
                + word(3 + 2 + c % 2, c / 2)
                + word(4 + 2 + c % 2, 16 + c / 2)
                + word(5 + c % 2, 24 + c / 2);
            words.wrapping_add(dword(6 + c, 1))
        };
        // After each load, the sum of all loads so far is stored.
        let stored: Vec<u32> = (0..32).map(|n| sum(n % 4).wrapping_mul(n as u32 / 4 + 1)).collect();
        let found = y.to_vec()?;
        assert!(found[..32] == stored && found[32..] == [0; 96], "{}", device.name());
    }
    Ok(())
}

#[test]
fn tiles_run_on_all_cores() -> cm::Result<()> {
    let mut all = devices(2);
    for &engine in CpuEngine::ALL {
        all.push(Device::cpu_with_threads(2)?.with_cpu_engine(engine));
    }
    for device in &all {
        for [columns, rows] in [[1280, 640], [64, 48], [40, 35]] {
            let numbers: Vec<u16> = (0..columns * rows).map(|n| (n * 7) as u16).collect();
            let x = Buffer::from_slice(device, &numbers)?;
            let mut y = Buffer::<u16>::new(device, columns * rows)?;
            let space = space(columns.div_ceil(16), rows.div_ceil(16));
            let event = kernels::copy_tiles::launch(device, space, &x, &mut y, columns as u32, rows as u32)?;
            assert!(event.ran_one_by_one().is_none(), "{:?}", event.ran_one_by_one());
            if columns == 1280 && event.engine().is_some() {
                assert_eq!(event.workers(), 2, "{}", device.name());
            }
            assert_eq!(y.to_vec()?, numbers, "{}", device.name());
        }
    }
    Ok(())
}

#[kernel]
fn shaped(x: &Buffer<u16>, y: &mut Buffer<u16>, width: i32, height: u16, pitch: i32, column: i32) {
    y.store_2d(width, height, pitch, column, 0, &x.load_2d::<4, 32>(64, 4, 64, 0, 0));
}

#[kernel]
fn constant<const WIDTH: usize, const HEIGHT: usize, const PITCH: usize, const COLUMN: usize>(
    x: &Buffer<u16>,
) {
    x.prefetch_2d::<4, 16>(WIDTH, HEIGHT, PITCH, COLUMN, 0);
}

#[kernel]
fn unknown(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let width = x.read::<4>(0).get(0);
    y.store_2d(width, 4, 64, 0, 0, &x.load_2d::<4, 16>(64, 4, 64, 0, 0));
}

#[kernel]
fn computed(x: &Buffer<u8>, y: &mut Buffer<u8>, half: u16) {
    let width = half * 2;
    y.store_2d(width, 4, width, 0, 0, &x.load_2d::<4, 64>(width, 4, width, 0, 0));
}

#[kernel]
fn stored<const R: usize, const C: usize>(y: &mut Buffer<u16>) {
    y.store_2d(64, 4, 64, 0, 0, &Matrix::<u16, R, C>::splat(1));
}

#[kernel]
fn loaded<const R: usize, const C: usize>(x: &Buffer<u16>) {
    let _plain = x.load_2d::<R, C>(64, 4, 64, 0, 0);
    let _packed = x.load_2d_vnni::<R, C>(64, 4, 64, 0, 0);
}

#[kernel]
fn moved_by_threads(x: &Buffer<u16>) {
    let _block = x.load_2d::<4, 16>(64, 4, 64, thread_origin_x() * 3, 0);
}

/// If the numbers are known when a kernel is recorded, this is an error then; otherwise it is an error before
/// the launch.
#[test]
fn wrong_rows_and_columns_are_refused() -> cm::Result<()> {
    use cm::Error;
    for device in &devices(1) {
        let x = Buffer::<u16>::new(device, 4 * 32)?;
        let mut y = Buffer::<u16>::new(device, 4 * 40)?;
        let mut launch = |width, height, pitch, column| {
            shaped::launch(device, space(1, 1), &x, &mut y, width, height, pitch, column)
        };
        launch(64, 4, 80, 0)?;
        launch(80, 4, 80, 30)?;
        fails!(
            launch(60, 4, 80, 0),
            Error::Block2d { .. },
            "60 bytes",
            "64 to 16777216",
            "`y`",
            "blocks_2d.rs"
        );
        fails!(launch(66, 4, 80, 0), Error::Block2d { .. }, "66 bytes", "a multiple of 4");
        fails!(launch(64, 4, 72, 0), Error::Block2d { .. }, "72 bytes apart", "multiple of 16");
        fails!(launch(80, 4, 64, 0), Error::Block2d { .. }, "64 bytes apart", "at least the 80 bytes");
        fails!(launch(64, 0, 80, 0), Error::Block2d { .. }, "0 rows");
        fails!(launch(64, 5, 80, 0), Error::Block2d { .. }, "byte 384 of a buffer of 320");
        fails!(launch(64, 4, 80, 1), Error::Block2d { .. }, "a multiple of 2");
        fails!(launch(-64, 4, 80, 0), Error::Block2d { .. }, "-64 bytes");

        fails!(constant::<60, 4, 64, 0>::launch(device, space(1, 1), &x), Error::Record(_), "60 bytes");
        fails!(constant::<64, 4, 65, 0>::launch(device, space(1, 1), &x), Error::Record(_), "65 bytes apart");
        fails!(constant::<64, 4, 64, 1>::launch(device, space(1, 1), &x), Error::Record(_), "multiple of 2");
        fails!(
            constant::<64, 5, 64, 0>::launch(device, space(1, 1), &x),
            Error::Block2d { .. },
            "byte 320",
            "256"
        );
        constant::<64, 4, 64, 2>::launch(device, space(1, 1), &x)?;
        fails!(moved_by_threads::launch(device, space(2, 1), &x), Error::Record(_), "not whole dwords");
        fails!(
            loaded::<33, 16>::launch(device, space(1, 1), &x),
            Error::Record(_),
            "33 rows",
            "1 to 32 rows"
        );
        fails!(loaded::<8, 2>::launch(device, space(1, 1), &x), Error::Record(_), "packed", "8 rows of 2");
        fails!(
            stored::<9, 16>::launch(device, space(1, 1), &mut y),
            Error::Record(_),
            "store of 9 rows",
            "1 to 8"
        );

        let words = Buffer::<u32>::new(device, 64)?;
        let mut written = Buffer::<u32>::new(device, 64)?;
        fails!(
            unknown::launch(device, space(1, 1), &words, &mut written),
            Error::Block2d { .. },
            "not known when the kernel is launched",
            "`y`"
        );

        let bytes = Buffer::<u8>::from_slice(device, &[3; 256])?;
        let mut copy = Buffer::<u8>::new(device, 256)?;
        computed::launch(device, space(1, 1), &bytes, &mut copy, 32)?;
        assert_eq!(copy.to_vec()?, [3; 256]);
        fails!(
            computed::launch(device, space(1, 1), &bytes, &mut copy, 36),
            Error::Block2d { .. },
            "72 bytes apart"
        );
    }
    Ok(())
}

/// Counts the elements of whole rows up. The rows are next to each other in the buffer.
#[kernel]
fn whole_rows(values: &mut Buffer<u32>, rows: u32) {
    let first = thread_origin_y() * 8;
    let block = values.load_2d::<8, 16>(64, rows, 64, 0, first);
    values.store_2d(64, rows, 64, 0, first, &(block + 1u32).convert::<u32>());
}

/// Workers own parts of a picture without gaps: accesses do not reach from row to row.
#[test]
fn blocks_as_wide_as_the_picture_run_at_once() {
    let rows = 8 * 512;
    let input: Vec<u32> = (0..rows * 16).collect();
    let expected: Vec<u32> = input.iter().map(|x| x + 1).collect();
    for device in devices(2) {
        let mut values = Buffer::from_slice(&device, &input).unwrap();
        let event =
            whole_rows::launch(&device, ThreadSpace::new(1, 512).unwrap(), &mut values, rows).unwrap();
        assert!(values.to_vec().unwrap() == expected, "{}", device.name());
        if !device.is_gpu() {
            assert_eq!((event.workers(), event.ran_one_by_one()), (2, None));
        }
    }
}
