//! Slices of buffers: kernels count from the first element of a slice, and cannot access anything outside of
//! it.

use cm::Error;
use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::spaces::space;

/// The length of a buffer, and the first element of its slices.
const LEN: usize = 200;
const START: usize = 96;
/// Elements of a kernel thread, and the number of threads: the last ones are out of bounds.
const BLOCK: usize = 8;
const THREADS: usize = 16;

/// Adds to each element the one 8 positions before it, and counts the values below 100.
#[kernel]
fn add_before(from: &Buffer<i32>, to: &mut Buffer<i32>, counts: &mut Buffer<u32>) {
    let offset = thread_origin_x() * 32;
    let sum = from.read::<8>(offset) + from.read::<8>(offset - 32);
    to.write(offset, &sum);
    let first: Vector<u32, 1> = Vector::splat(thread_origin_x() * 8);
    let elements = from.read_scattered(0, &first);
    let small = elements < 100;
    counts.write_atomic_masked(&small, atomic::Inc, &Vector::<u32, 1>::splat(0));
}

fn elements() -> Vec<i32> {
    (0..LEN as i32).map(|x| x * 3 % 251).collect()
}

#[test]
fn kernels_count_from_the_first_element() -> cm::Result<()> {
    let all = elements();
    for device in &devices(2) {
        // The slice that is read begins before or after the one that is written, or is the whole buffer.
        for (read, written) in [(START, 64), (32, START), (0, 0), (160, 0), (0, 192)] {
            let from = Buffer::from_slice(device, &all)?;
            let mut to = Buffer::from_slice(device, &[-1; LEN])?;
            let mut counts = Buffer::<u32>::new(device, 20)?;
            let space = space(THREADS, 1);
            let mut slice = to.slice_mut(written..)?;
            assert_eq!((slice.len(), from.slice(read..)?.len()), (LEN - written, LEN - read));
            let mut counted = counts.slice_mut(16..)?;
            add_before::launch(device, space, &*from.slice(read..)?, &mut slice, &mut counted)?;
            drop((slice, counted));
            // With plain loops: elements before a slice are out of bounds, like those after the buffer.
            let inside = |at: Option<usize>| at.and_then(|at| all[read..].get(at)).copied().unwrap_or(0);
            let mut expected = vec![-1; LEN];
            for (at, element) in expected[written..].iter_mut().take(BLOCK * THREADS).enumerate() {
                *element = inside(Some(at)) + inside(at.checked_sub(BLOCK));
            }
            assert_eq!(to.to_vec()?, expected, "{read} and {written} on {device:?}");
            let small = (0..THREADS).filter(|thread| inside(Some(thread * BLOCK)) < 100).count();
            let found = counts.to_vec()?;
            assert_eq!((found[16] as usize, &found[..16]), (small, &[0; 16][..]), "{device:?}");
        }
    }
    Ok(())
}

/// Reverses the order of rows of 16 elements.
#[kernel]
fn flip(from: &Buffer<f32>, to: &mut Buffer<f32>) {
    let rows = from.load_2d::<4, 16>(64, 4, 64, 0, 0);
    for row in 0..4 {
        to.store_2d(64, 4, 64, 0, row as i32, &rows.select::<1, 1, 16, 1>(3 - row, 0));
    }
}

/// Slices that end inside their buffer: what follows them is out of bounds, for each form of access.
#[test]
fn kernels_end_with_the_last_element() -> cm::Result<()> {
    let all = elements();
    for device in &devices(2) {
        // Ends inside of a block and between blocks, of the slice that is read or of the one that is written.
        for (read, written) in
            [(START..START + 37, 64..LEN), (0..LEN, 32..72), (32..33, 16..131), (0..8, 0..1)]
        {
            let from = Buffer::from_slice(device, &all)?;
            let mut to = Buffer::from_slice(device, &[-1; LEN])?;
            let mut counts = Buffer::from_slice(device, &[7; 20])?;
            let space = space(THREADS, 1);
            let mut slice = to.slice_mut(written.clone())?;
            assert_eq!((slice.len(), from.slice(read.clone())?.len()), (written.len(), read.len()));
            let mut counted = counts.slice_mut(..=0)?;
            add_before::launch(device, space, &*from.slice(read.clone())?, &mut slice, &mut counted)?;
            drop((slice, counted));
            let inside =
                |at: Option<usize>| at.and_then(|at| all[read.clone()].get(at)).copied().unwrap_or(0);
            let mut expected = vec![-1; LEN];
            for (at, element) in expected[written.clone()].iter_mut().take(BLOCK * THREADS).enumerate() {
                *element = inside(Some(at)) + inside(at.checked_sub(BLOCK));
            }
            assert_eq!(to.to_vec()?, expected, "{read:?} and {written:?} on {device:?}");
            let small = (0..THREADS).filter(|thread| inside(Some(thread * BLOCK)) < 100).count() as u32;
            assert_eq!(counts.to_vec()?, [vec![7 + small], vec![7; 19]].concat(), "{device:?}");
        }
    }
    Ok(())
}

/// Every other form of access, on elements of each size: each thread moves a block that starts `at` a byte.
macro_rules! moves {
    ($($name:ident of $t:ident;)*) => {$(
        mod $name {
            use super::*;

            #[kernel]
            pub(super) fn blocks(from: &Buffer<$t>, to: &mut Buffer<$t>, at: u32) {
                let loaded = from.load::<{ 64 / size_of::<$t>() }>(at);
                to.store(at, &loaded);
                let unaligned = from.read_dwaligned::<{ 48 / size_of::<$t>() }>(at + 100);
                to.write(128, &unaligned.select::<{ 16 / size_of::<$t>() }, 1>(0));
            }

            #[test]
            fn end_with_the_slice() -> cm::Result<()> {
                const ALL: usize = 512 / size_of::<$t>();
                let all: Vec<$t> = (0..ALL).map(|x| x as u8 as $t).collect();
                for device in &devices(1) {
                    // The end of a slice is at each element of the blocks, or behind all of them.
                    for (end, at) in (1..96 / size_of::<$t>()).step_by(3).flat_map(|end| [(end, 0), (end, 36)]) {
                        let run = |from: &Buffer<$t>, to: &mut Buffer<$t>| {
                            blocks::launch(device, space(1, 1), from, to, at).map(drop)
                        };
                        let from = Buffer::from_slice(device, &all)?;
                        let mut to = Buffer::from_slice(device, &all)?;
                        // The same with buffers that are as long as the slices.
                        let short = Buffer::from_slice(device, &all[..end])?;
                        let mut expected = Buffer::from_slice(device, &all[..end * 2])?;
                        run(&short, &mut expected)?;
                        run(&*from.slice(..end)?, &mut *to.slice_mut(..end * 2)?)?;
                        let expected = [expected.to_vec()?, all[end * 2..].to_vec()].concat();
                        assert_eq!(to.to_vec()?, expected, "{end} at {at} on {device:?}");
                    }
                }
                Ok(())
            }
        }
    )*};
}

moves! {
    bytes of u8;
    words of u16;
    dwords of i32;
    qwords of u64;
}

#[test]
fn blocks_of_rows_start_with_the_slice() -> cm::Result<()> {
    let all: Vec<f32> = (0..96).map(|x| x as f32).collect();
    for device in &devices(1) {
        let from = Buffer::from_slice(device, &all)?;
        let mut to = Buffer::<f32>::new(device, 80)?;
        flip::launch(device, space(1, 1), &*from.slice(32..)?, &mut *to.slice_mut(16..)?)?;
        let rows: Vec<&[f32]> = all[32..].chunks(16).collect();
        let expected = [&[0.0; 16][..], rows[3], rows[2], rows[1], rows[0]].concat();
        assert_eq!(to.to_vec()?, expected, "{device:?}");
        // Four rows do not fit in the rest, or before the end of the slice.
        fails!(
            flip::launch(device, space(1, 1), &*from.slice(16..79)?, &mut to),
            Error::Block2d { .. },
            "from",
            "slices.rs"
        );
        flip::launch(device, space(1, 1), &*from.slice(16..80)?, &mut to)?;
        fails!(
            flip::launch(device, space(1, 1), &*from.slice(48..)?, &mut to),
            Error::Block2d { .. },
            "from",
            "slices.rs"
        );
    }
    Ok(())
}

#[test]
fn the_host_reads_and_writes_slices() -> cm::Result<()> {
    let all = elements();
    for device in &devices(1) {
        let mut buffer = Buffer::from_slice(device, &all)?;
        let outer = buffer.slice(START..)?;
        assert_eq!(outer.to_vec()?, all[START..]);
        // A slice of a slice.
        assert_eq!(outer.slice(16..)?.to_vec()?, all[START + 16..]);
        assert_eq!(outer.slice(16..32)?.slice(..4)?.to_vec()?, all[START + 16..START + 20]);
        let mut middle = buffer.slice_mut(32..64)?;
        middle.write_slice(&[4; 32])?;
        middle.slice_mut(16..18)?.write_slice(&[3; 2])?;
        drop(middle);
        let written = [&all[..32], &[4; 16], &[3; 2], &[4; 14], &all[64..]].concat();
        assert_eq!(buffer.to_vec()?, written);
        buffer.write_slice(&all)?;
        let mut outer = buffer.slice_mut(32..)?;
        let mut inner = outer.slice_mut(64..)?;
        inner.write_slice(&vec![5; LEN - START])?;
        fails!(inner.write_slice(&[5; LEN]), Error::BufferLength { .. }, "104");
        device.scope(|scope| inner.enqueue_write(scope, &vec![6; LEN - START]))?;
        let download = device.scope(|scope| inner.enqueue_read(scope))?;
        assert_eq!(download.to_vec()?, vec![6; LEN - START]);
        drop(inner);
        assert_eq!(outer.to_vec()?, [&all[32..START], &vec![6; LEN - START]].concat());
        drop(outer);
        assert_eq!(buffer.to_vec()?, [&all[..START], &vec![6; LEN - START]].concat());
    }
    Ok(())
}

#[test]
fn slices_start_at_multiples_of_64_bytes_inside() -> cm::Result<()> {
    for device in &devices(1) {
        let mut bytes = Buffer::<u8>::new(device, 130)?;
        let longs = Buffer::<u64>::new(device, 16)?;
        assert_eq!((bytes.slice(128..)?.len(), longs.slice(8..)?.len()), (2, 8));
        fails!(
            bytes.slice(63..),
            Error::BufferSlice { start: 63, step: 64, .. },
            "63",
            "130 u8",
            "multiple of 64"
        );
        fails!(bytes.slice_mut(192..), Error::BufferSlice { start: 192, len: 130, .. }, "at 130 or before");
        fails!(longs.slice(4..), Error::BufferSlice { step: 8, .. }, "multiple of 8");
        fails!(longs.slice(16..), Error::BufferSlice { .. }, "at 16 or before");
        fails!(longs.slice(8..17), Error::BufferSlice { end: 17, .. }, "from element 8 to 17");
        fails!(longs.slice(8..8), Error::BufferSlice { .. }, "after its start");
        fails!(bytes.slice_mut(0..=usize::MAX), Error::BufferSlice { end: usize::MAX, .. }, "at 130");
        fails!(longs.slice(usize::MAX..), Error::BufferSlice { .. }, "at 16 or before");
    }
    Ok(())
}

#[test]
fn nothing_is_lost_with_slices_that_are_forgotten_or_exchanged() -> cm::Result<()> {
    for device in &devices(1) {
        let (mut long, mut short) =
            (Buffer::from_slice(device, &[1; 64])?, Buffer::from_slice(device, &[2; 16])?);
        // A slice that is never dropped: the original keeps its elements.
        std::mem::forget(long.slice(16..)?);
        long.write_slice(&[3; 64])?;
        assert_eq!(long.to_vec()?, [3; 64]);
        // The slice is replaced by another buffer that is shorter than the part before the slice.
        let mut outer = long.slice_mut(32..)?;
        let mut inner = outer.slice_mut(16..)?;
        std::mem::swap(&mut *inner, &mut short);
        drop(inner);
        drop(outer);
        assert_eq!((long.to_vec()?, short.to_vec()?), (vec![2; 16], vec![3; 16]));
        // If its slice is forgotten, a buffer stays limited to it.
        std::mem::forget(long.slice_mut(0..)?);
        assert_eq!(long.len(), 16);
    }
    Ok(())
}

#[test]
fn surfaces_are_made_from_the_elements_of_a_slice() -> cm::Result<()> {
    let device = Device::cpu()?;
    let bytes: Vec<u8> = (0..192).collect();
    for (start, end) in [(64, 192), (0, 128), (64, 128)] {
        let mut buffer = Buffer::from_slice(&device, &bytes)?;
        std::mem::forget(buffer.slice_mut(start..end)?);
        let mut surface = Surface2D::from_buffer(&device, buffer, 16, Format::R8, 32, 1, 64)?;
        assert_eq!(surface.to_vec()?, bytes[start + 16..][..32]);
        surface.write_bytes(&[7; 32])?;
        let mut expected = bytes[start..end].to_vec();
        expected[16..48].fill(7);
        assert_eq!(surface.into_buffer().map(|buffer| buffer.to_vec()).transpose()?, Some(expected));
    }
    Ok(())
}
