//! Buffers as elements of other types, by every form of access: the bytes decide, also about the end.

use cm::prelude::*;
use cm_test_support::devices::devices;
use cm_test_support::numbers::elements;
use cm_test_support::spaces::space;

/// The bytes of a buffer: each is different from its neighbours.
fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|n| (n * 37 % 251) as u8).collect()
}

/// Reads the same bytes as elements of four types, by every form of read.
#[kernel]
fn read_all(x: &Buffer<f32>, y: &mut Buffer<u8>) {
    let (bytes, words, longs) = (x.format::<u8>(), x.format::<i16>(), x.format::<u64>());
    y.write(0, &bytes.read::<64>(16));
    y.format_mut::<i16>().write(64, &words.read_dwaligned::<32>(20));
    y.format_mut::<u64>().write(128, &longs.load::<8>(24));
    y.format_mut::<u32>().write_linear(192, &x.format::<u32>().read_linear::<24>(32));
    let steps: Vector<u8, 16> = Vector::from_array([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    y.write(288, &bytes.read_scattered(3, &steps));
    y.format_mut::<i16>().write(304, &words.read_scattered(5, &steps));
    y.format_mut::<f32>().write(336, &x.read_scattered(7, &steps));
    y.format_mut::<u64>().write(400, &longs.read_scattered(1, &steps));
    y.format_mut::<i16>().write(528, &words.read_scaled(8, &(steps * 2)));
    y.format_mut::<u16>().write(560, &x.format::<u16>().load_2d::<4, 8>(64, 4, 64, 4, 0));
}

#[test]
fn reads_have_the_bytes_of_the_buffer() -> cm::Result<()> {
    let all = bytes(256);
    let mut expected = [&all[16..80], &all[20..84], &all[24..88], &all[32..128]].concat();
    let mut scattered = |base: usize, size: usize| {
        let all = (0..16).rev().flat_map(|n| &all[(base + n) * size..][..size]);
        expected.extend(all);
    };
    scattered(3, 1);
    scattered(5, 2);
    scattered(7, 4);
    scattered(1, 8);
    scattered(4, 2);
    expected.extend((0..4).flat_map(|row| &all[row * 64 + 8..][..16]));
    for device in &devices(2) {
        let x = Buffer::from_slice(device, &elements::<f32>(&all))?;
        let mut y = Buffer::<u8>::new(device, expected.len())?;
        read_all::launch(device, space(1, 1), &x, &mut y)?;
        assert_eq!(y.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}

/// Writes elements of other types, by every form of write, and reads them again.
#[kernel]
fn write_all(x: &mut Buffer<u16>, y: &mut Buffer<u32>) {
    let steps: Vector<u8, 8> = Vector::from_array([7, 6, 5, 4, 3, 2, 1, 0]);
    let dwords: Vector<u32, 8> = (Vector::<u32, 8>::constant([0, 1, 2, 3, 4, 5, 6, 7]) + 0x1020300).convert();
    x.format_mut::<u32>().write(0, &dwords);
    x.format_mut::<f32>().store(36, &Vector::<f32, 4>::splat(1.5f32));
    x.format_mut::<u8>().write_scattered(52, &steps, &Vector::<u8, 8>::splat(9));
    x.format_mut::<u64>().write_scattered(8, &steps, &Vector::<u64, 8>::constant([1, 2, 3, 4, 5, 6, 7, 8]));
    x.format_mut::<u32>().write_atomic(atomic::Add(&dwords), &steps);
    let old = x.format_mut::<u32>().fetch_atomic(atomic::Inc, &steps);
    x.format_mut::<u8>().store_2d(64, 2, 64, 32, 1, &Matrix::<u8, 1, 16>::splat(3));
    y.write(0, &old);
    y.write(32, &x.format::<u32>().read::<8>(0));
}

#[test]
fn writes_have_the_bytes_of_the_elements() -> cm::Result<()> {
    let dwords: Vec<u32> = (0..8).map(|n| 0x102_0300 + n).collect();
    let added: Vec<u32> = (0..8).map(|n| dwords[n] + dwords[7 - n]).collect();
    let counted: Vec<u32> = added.iter().map(|x| x + 1).collect();
    let mut expected = vec![0; 160];
    expected[..32].copy_from_slice(bytemuck::cast_slice(&counted));
    expected[36..52].copy_from_slice(bytemuck::cast_slice(&[1.5f32; 4]));
    expected[52..60].fill(9);
    for n in 0..8 {
        expected[64 + n * 8] = 8 - n as u8;
    }
    expected[96..112].fill(3);
    for device in &devices(2) {
        let mut x = Buffer::<u16>::new(device, 80)?;
        let mut y = Buffer::<u32>::new(device, 16)?;
        write_all::launch(device, space(1, 1), &mut x, &mut y)?;
        assert_eq!(bytemuck::cast_slice::<_, u8>(&x.to_vec()?), expected, "{device:?}");
        let old: Vec<u32> = added.iter().rev().copied().collect();
        assert_eq!(y.to_vec()?, [old, counted.clone()].concat(), "{device:?}");
    }
    Ok(())
}

/// Copies within one buffer: what the view writes is read first.
#[kernel]
fn copy_within(x: &mut Buffer<u16>) {
    x.format_mut::<u32>().write(0, &x.format::<u32>().read::<4>(16));
    x.format_mut::<u32>().write(32, &(x.format::<u32>().read::<4>(16) + 1u32));
    let steps = Vector::<u32, 4>::constant([0, 1, 2, 3]);
    let dwords = x.format::<u32>().read::<4>(0);
    let old = x.format_mut::<u32>().fetch_atomic(
        atomic::Add(&x.format::<u32>().read::<4>(32)),
        &(steps + x.format::<u32>().read::<4>(48).get(0)),
    );
    x.format_mut::<u32>().write(64, &(old - dwords));
}

#[test]
fn views_write_what_they_read() -> cm::Result<()> {
    let numbers: Vec<u16> = (0..40).map(|n| if n < 24 { n * 500 } else { 0 }).collect();
    let old: Vec<u32> = elements(bytemuck::cast_slice(&numbers));
    let mut expected = old.clone();
    for n in 0..4 {
        expected[8 + n] = old[4 + n] + 1;
        expected[n] = old[4 + n] + expected[8 + n];
        expected[16 + n] = 0;
    }
    for device in &devices(1) {
        let mut x = Buffer::from_slice(device, &numbers)?;
        copy_within::launch(device, space(1, 1), &mut x)?;
        assert_eq!(elements::<u32>(bytemuck::cast_slice(&x.to_vec()?)), expected, "{device:?}");
    }
    Ok(())
}

/// Accesses the last elements of a buffer of bytes as dwords, words and qwords, and beyond.
#[kernel]
fn at_the_end(x: &mut Buffer<u8>, y: &mut Buffer<u32>, block: u32, first: u32) {
    let steps = Vector::<u32, 8>::constant([0, 1, 2, 3, 4, 5, 6, 7]);
    y.write(0, &x.format::<u32>().read_scattered(first, &steps));
    y.format_mut::<u16>().write(32, &x.format::<u16>().read_scattered(first * 2, &steps));
    y.format_mut::<u64>().write(64, &x.format::<u64>().read_scattered(first / 2, &steps));
    y.write(128, &x.format::<u32>().read::<8>(block));
    let old = x
        .format_mut::<u32>()
        .fetch_atomic(atomic::Add(&Vector::<u32, 8>::splat(0x1010101)), &(steps + first));
    y.write(160, &old);
    x.format_mut::<i16>().write_scattered(first * 2 + 2, &steps, &Vector::<i16, 8>::splat(-1));
    x.format_mut::<u32>().write(block + 16, &Vector::<u32, 4>::splat(0x7060504));
}

/// The same with loops over bytes.
fn at_the_end_of(x: &mut [u8], block: usize, first: usize) -> Vec<u8> {
    let mut y = vec![];
    let whole = |x: &[u8], n: usize, size: usize| (n + 1) * size <= x.len();
    let mut gather = |x: &[u8], first: usize, size: usize| {
        for n in first..first + 8 {
            let none = vec![0; size];
            y.extend(if whole(x, n, size) { &x[n * size..][..size] } else { &none });
        }
        y.resize(y.len().next_multiple_of(32), 0);
    };
    gather(x, first, 4);
    gather(x, first * 2, 2);
    gather(x, first / 2, 8);
    y.extend((block..block + 32).map(|at| x.get(at).copied().unwrap_or(0)));
    for n in first..first + 8 {
        let mut old = [0; 4];
        if whole(x, n, 4) {
            old.copy_from_slice(&x[n * 4..][..4]);
            let new = u32::from_le_bytes(old).wrapping_add(0x101_0101);
            x[n * 4..][..4].copy_from_slice(&new.to_le_bytes());
        }
        y.extend(old);
    }
    for n in first * 2 + 2..first * 2 + 10 {
        if whole(x, n, 2) {
            x[n * 2..][..2].fill(255);
        }
    }
    for (at, byte) in (block + 16..block + 32).zip([4, 5, 6, 7].into_iter().cycle()) {
        if let Some(x) = x.get_mut(at) {
            *x = byte;
        }
    }
    y
}

/// A buffer that ends inside of an element: that element is outside, and a block has the bytes that are inside. So it is
/// for a slice that ends inside its buffer, which continues with other bytes.
#[test]
fn a_view_ends_where_its_buffer_ends() -> cm::Result<()> {
    for device in &devices(2) {
        for len in [45, 46, 47, 48, 13, 16, 3, 1] {
            for (block, first) in [(16, 8), (32, 4), (0, 0), (48, 11)] {
                let mut expected = bytes(len);
                let read = at_the_end_of(&mut expected, block, first);
                let mut y = Buffer::<u32>::new(device, 48)?;
                let mut x = Buffer::from_slice(device, &bytes(len))?;
                let (at, n) = (block as u32, first as u32);
                at_the_end::launch(device, space(1, 1), &mut x, &mut y, at, n)?;
                let what = format!("{len} bytes, {block} and {first} on {device:?}");
                assert_eq!(x.to_vec()?, expected, "{what}");
                assert_eq!(bytemuck::cast_slice::<_, u8>(&y.to_vec()?), read, "{what}");
                // A slice of a longer buffer.
                let mut whole = [vec![77; 64], bytes(len), vec![99; 80]].concat();
                let mut x = Buffer::from_slice(device, &whole)?;
                let mut slice = x.slice_mut(64..64 + len)?;
                at_the_end::launch(device, space(1, 1), &mut slice, &mut y, at, n)?;
                drop(slice);
                whole[64..64 + len].copy_from_slice(&expected);
                assert_eq!(x.to_vec()?, whole, "a slice of {what}");
                assert_eq!(bytemuck::cast_slice::<_, u8>(&y.to_vec()?), read, "a slice of {what}");
            }
        }
    }
    Ok(())
}

/// A helper that knows nothing of views.
#[function]
fn total(x: &Buffer<u32>, offset: u32) -> u32 {
    math::sum::<u32, _>(x.read::<4>(offset))
}

#[function]
fn put(y: &mut Buffer<u32>, offset: u32, x: u32) {
    y.write(offset, &Vector::<u32, 4>::splat(x));
}

#[kernel]
fn with_helpers(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    let offset = thread_origin_x() * 16;
    put(&mut y.format_mut::<u32>(), offset, total(&x.format::<u32>(), offset));
}

#[test]
fn functions_take_views() -> cm::Result<()> {
    let all = bytes(64);
    let sums: Vec<u32> = elements::<u32>(&all)
        .chunks(4)
        .flat_map(|four| [four.iter().fold(0u32, |sum, x| sum.wrapping_add(*x)); 4])
        .collect();
    for device in &devices(2) {
        let x = Buffer::from_slice(device, &all)?;
        let mut y = Buffer::<u8>::new(device, 64)?;
        let event = with_helpers::launch(device, space(4, 1), &x, &mut y)?;
        assert!(event.ran_one_by_one().is_none(), "{:?}", event.ran_one_by_one());
        assert_eq!(elements::<u32>(&y.to_vec()?), sums, "{device:?}");
    }
    Ok(())
}

/// Threads own 64 bytes each, which they write as dwords and read as bytes and words; the proof counts bytes.
#[kernel]
fn own(x: &mut Buffer<f32>) {
    let at = thread_origin_x();
    let dwords = x.format::<u32>().read::<16>(at * 64) ^ 0x8000_0000u32;
    x.format_mut::<u32>().write(at * 64, &dwords);
    let steps = Vector::<u32, 8>::constant([0, 1, 2, 3, 4, 5, 6, 7]);
    let words = x.format::<i16>().read_scattered(at * 32, &steps);
    x.format_mut::<i16>().write_scattered(at * 32 + 8, &steps, &words);
    x.format_mut::<u8>().write_scattered(at * 64 + 32, &steps, &Vector::<u8, 8>::splat(0));
}

/// Threads that write dwords, and read bytes of their neighbours.
#[kernel]
fn overlapping(x: &mut Buffer<f32>) {
    let at = thread_origin_x();
    let bytes = x.format::<u8>().read::<16>(at * 16 + 16);
    x.write(at * 16, &bytes.format::<f32>());
}

#[test]
fn proofs_count_bytes() -> cm::Result<()> {
    let mut all: Vec<f32> = (0..256).map(|n| n as f32 - 100.25).collect();
    let mut expected = all.iter().map(|x| -x).collect::<Vec<_>>();
    for thread in expected.chunks_mut(16) {
        let thread: &mut [u8] = bytemuck::cast_slice_mut(thread);
        thread.copy_within(..16, 16);
        thread[32..40].fill(0);
    }
    for device in &devices(2) {
        let mut x = Buffer::from_slice(device, &all)?;
        let event = own::launch(device, space(16, 1), &mut x)?;
        assert!(event.ran_one_by_one().is_none(), "{:?}", event.ran_one_by_one());
        assert_eq!(x.to_vec()?, expected, "{device:?}");
    }
    let cpu = Device::cpu_with_threads(2)?;
    let mut x = Buffer::from_slice(&cpu, &all)?;
    assert!(overlapping::launch(&cpu, space(32, 1), &mut x)?.ran_one_by_one().is_some());
    all.copy_within(4..132, 0);
    assert_eq!(x.to_vec()?, all);
    Ok(())
}

/// Sums of dwords and words of one buffer: copies of it could not be combined.
#[kernel]
fn two_sums(x: &mut Buffer<u8>) {
    let first = Vector::<u32, 4>::splat(0);
    x.format_mut::<u32>().write_atomic(atomic::Add(&Vector::<u32, 4>::splat(0xffff)), &first);
    x.format_mut::<u16>().write_atomic(atomic::Add(&Vector::<u16, 4>::splat(1)), &first);
}

/// Sums of the dwords of a buffer of bytes, with a rest.
#[kernel]
fn sums(x: &mut Buffer<u8>) {
    let at = Vector::<u32, 4>::constant([0, 1, 1, 2]);
    x.format_mut::<u32>().write_atomic(atomic::Add(&Vector::<u32, 4>::splat(300)), &at);
}

#[test]
fn atomic_operations_have_the_elements_of_the_view() -> cm::Result<()> {
    for device in &devices(2) {
        let mut x = Buffer::<u8>::new(device, 4)?;
        two_sums::launch(device, space(100, 1), &mut x)?;
        // The words do not carry into the high half.
        let dword = u32::from_le_bytes(x.to_vec()?.try_into().unwrap());
        assert_eq!(dword & 0xffff, (400 * 0xffffu32 + 400) & 0xffff, "{device:?}");
        let mut x = Buffer::from_slice(device, &[7u8; 11])?;
        sums::launch(device, space(100, 1), &mut x)?;
        let x = x.to_vec()?;
        let start = u32::from_le_bytes([7; 4]);
        assert_eq!(elements::<u32>(&x), [start + 30000, start + 60000], "{device:?}");
        assert_eq!(x[8..], [7; 3], "{device:?}");
    }
    Ok(())
}
