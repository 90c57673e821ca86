//! Every operation, element by element, against the same operation on slices.

use cm::prelude::*;
use cm_test_kernels::buffers as kernels;
use cm_test_support::devices::devices;
use cm_test_support::noise::small;
use cm_test_support::numbers::numbers;
use cm_test_support::spaces::space;

use super::bytes::Bytes;

/// Offsets in bytes: aligned and unaligned, across the end, far outside, and negative.
const OFFSETS: [(u32, u32); 9] = [
    (0, 0),
    (16, 48),
    (4, 32),
    (7, 3),
    (100, 19),
    (480, 500),
    (1000, 4096),
    (u32::MAX - 15, 16),
    (64, 1 << 31),
];

#[test]
fn blocks() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident, $len:literal, [$($n:literal)*] [$($w:literal)*];)*) => {$(
            for (from, to) in OFFSETS {
                for device in &devices(2) {
                    let size = size_of::<$t>();
                    let (input, old) = (small::<$t>($len, 5), small::<$t>($len, 6));
                    let mut output = Buffer::from_slice(device, &old)?;
                    let input_buffer = Buffer::from_slice(device, &input)?;
                    kernels::$name::launch(device, space(1, 1), &input_buffer, &mut output, from, to)?;

                    let (input, mut expected) = (Bytes::of(&input), Bytes::of(&old));
                    let down = |offset: u32, to: u32| u64::from(offset / to * to);
                    let mut offset = to;
                    $({
                        let block = input.read(down(from.wrapping_add(offset), 4), $n * size);
                        expected.write(down(offset, 16), &block[..16]);
                        let block = input.read(down(from.wrapping_add(offset), 16), $n * size);
                        expected.write(down(offset.wrapping_add(16), 16), &block[$n * size - 16..]);
                        offset = offset.wrapping_add(32);
                    })*
                    $({
                        let a = expected.read(down(offset.wrapping_add(1), 16), $w * size);
                        let b = input.read(down(from, 16), $w * size);
                        let sum: Vec<$t> = a
                            .chunks(size)
                            .zip(b.chunks(size))
                            .map(|(a, b)| {
                                let [a, b] = [a, b].map(bytemuck::pod_read_unaligned::<$t>);
                                a.wrapping_add(b)
                            })
                            .collect();
                        expected.write(down(offset, 16), bytemuck::cast_slice(&sum));
                        offset = offset.wrapping_add($w * size as u32);
                    })*
                    let _ = offset;
                    assert_eq!(Bytes::of(&output.to_vec()?).0, expected.0, "{} {from} {to}", stringify!($name));
                }
            }
        )*};
    }
    check! {
        blocks_u8: u8, 503, [16 17 31 33 47 64 100 127 128] [16 32 64 128];
        blocks_u16: u16, 257, [8 9 15 24 40 64] [8 16 32 64];
        blocks_i32: i32, 125, [4 5 7 12 31 32] [4 8 16 32];
        blocks_u64: u64, 65, [2 3 5 16] [2 4 8 16];
    }
    Ok(())
}

#[test]
fn blocks_of_dwords() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident, $len:literal, [$($n:literal)*];)*) => {$(
            for (from, to) in OFFSETS {
                for device in &devices(2) {
                    let size = size_of::<$t>();
                    let (input, old) = (small::<$t>($len, 5), small::<$t>($len, 6));
                    let mut output = Buffer::from_slice(device, &old)?;
                    let input_buffer = Buffer::from_slice(device, &input)?;
                    kernels::$name::launch(device, space(1, 1), &input_buffer, &mut output, from, to)?;

                    let (input, mut expected) = (Bytes::of(&input), Bytes::of(&old));
                    let down = |offset: u32| u64::from(offset / 4 * 4);
                    let mut offset = to;
                    $({
                        let block = input.read(down(from.wrapping_add(offset)), $n * size);
                        expected.write(down(offset), &block);
                        offset = offset.wrapping_add($n * size as u32 + 4);
                    })*
                    let _ = offset;
                    assert_eq!(Bytes::of(&output.to_vec()?).0, expected.0, "{} {from} {to}", stringify!($name));
                }
            }
        )*};
    }
    check! {
        dword_blocks_u8: u8, 703, [4 8 16 32 64 128 256];
        dword_blocks_i16: i16, 301, [2 4 8 16 32 64 128];
        dword_blocks_f32: f32, 125, [1 2 4 8 16 32 64];
        dword_blocks_u64: u64, 125, [1 2 4 8 16 32 64];
    }
    Ok(())
}

#[test]
fn blocks_of_qwords() -> cm::Result<()> {
    for device in &devices(2) {
        let (x, words) = (small::<u64>(150, 5), small::<u32>(301, 6));
        let old = small::<u64>(140, 7);
        let mut y = Buffer::from_slice(device, &old)?;
        let inputs = (Buffer::from_slice(device, &x)?, Buffer::from_slice(device, &words)?);
        let groups = ThreadGroups::new([3, 1, 1], [1, 1, 1])?;
        kernels::qword_blocks::launch(device, groups, &inputs.0, &inputs.1, &mut y)?;

        let (x, words, mut expected) = (Bytes::of(&x), Bytes::of(&words), Bytes::of(&old));
        for at in [0, 512, 1024] {
            let (a, b) = (x.read(at + 8, 512), words.read(at, 512));
            let sums: Vec<u64> = a
                .chunks(8)
                .zip(b.chunks(8))
                .map(|(a, b)| {
                    let [a, b] = [a, b].map(bytemuck::pod_read_unaligned::<u64>);
                    a.wrapping_add(b)
                })
                .collect();
            expected.write(at + 16, bytemuck::cast_slice(&sums));
        }
        assert_eq!(Bytes::of(&y.to_vec()?).0, expected.0);
    }
    Ok(())
}

#[test]
fn cache_hints_change_nothing() -> cm::Result<()> {
    for device in &devices(2) {
        let input = small::<u32>(128, 3);
        let mut output = Buffer::<u32>::new(device, 128)?;
        kernels::cache_hints::launch(device, space(1, 1), &Buffer::from_slice(device, &input)?, &mut output)?;
        assert_eq!(output.to_vec()?, input);
    }
    Ok(())
}

#[test]
fn scattered_elements() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident;)*) => {$(
            for (base, distinct) in [(0, true), (2, true), (-3, true), (0, false), (5, false)] {
                for device in &devices(2) {
                    let (input, old) = (small::<$t>(67, 8), small::<$t>(67, 9));
                    let numbers = numbers(64, (40 + base) as u32, distinct);
                    let mut output = Buffer::from_slice(device, &old)?;
                    let input_buffer = Buffer::from_slice(device, &input)?;
                    let numbers_buffer = Buffer::from_slice(device, &numbers)?;
                    kernels::$name::launch(device, space(1, 1), &input_buffer, &numbers_buffer, &mut output, base)?;

                    let (input, mut expected) = (Bytes::of(&input), Bytes::of(&old));
                    let (a, b) = numbers.split_at(32);
                    let base = base as u32;
                    let mut step = |from: u32, read: &[u32], to: u32, written: &[u32]| {
                        let values: Vec<$t> = read.iter().map(|n| input.get(from.wrapping_add(*n))).collect();
                        for (n, value) in written.iter().zip(values) {
                            expected.set(to.wrapping_add(*n), value);
                        }
                    };
                    let every = |all: &[u32], start: usize, stride: usize, count: usize| -> Vec<u32> {
                        all.iter().skip(start).step_by(stride).take(count).copied().collect()
                    };
                    step(base, a, 0, b);
                    step(3, &every(b, 1, 2, 16), base, &every(a, 0, 2, 16));
                    step(0, &a[5..13], 5, &b[20..28]);
                    step(base, &b[5..9], 9, &a[22..26]);
                    step(base, &every(b, 1, 9, 2), 0, &every(a, 7, 8, 2));
                    step(0, &b[11..12], 1, &a[10..11]);
                    assert_eq!(Bytes::of(&output.to_vec()?).0, expected.0, "{} {base}", stringify!($name));
                }
            }
        )*};
    }
    check! {
        scattered_u8: u8;
        scattered_i8: i8;
        scattered_u16: u16;
        scattered_i16: i16;
        scattered_f16: f16;
        scattered_u32: u32;
        scattered_i32: i32;
        scattered_f32: f32;
        scattered_u64: u64;
        scattered_i64: i64;
    }
    Ok(())
}

#[test]
fn hints_of_scattered_elements_change_nothing() -> cm::Result<()> {
    for bits in [0xffff_ffff, 0x1357_9bdfu32] {
        for device in &devices(2) {
            let (input, old) = (small::<u32>(420, 3), small::<u32>(420, 4));
            // Distinct numbers; the last part of the buffer has fewer elements.
            let at: Vec<u32> = (0..32).map(|k| (k * 11 + 5) % 61).collect();
            let mut output = Buffer::from_slice(device, &old)?;
            let [x, numbers] = [&input, &at].map(|slice| Buffer::from_slice(device, slice));
            kernels::scattered_hints::launch(device, space(1, 1), &x?, &numbers?, &mut output, bits)?;
            let mut expected = old.clone();
            let mut copy =
                |lanes: std::ops::Range<usize>, base: usize, read: u32, written: &dyn Fn(usize) -> bool| {
                    for (k, n) in at[lanes].iter().enumerate().filter(|(k, _)| written(*k)) {
                        // Out-of-bounds writes are dropped.
                        if let Some(cell) = expected.get_mut(base + *n as usize) {
                            *cell = if read >> k & 1 != 0 { input[base + *n as usize] } else { 0 };
                        }
                    }
                };
            let bit = |bits: u32| move |k: usize| bits >> k & 1 != 0;
            copy(0..32, 0, u32::MAX, &|_| true);
            copy(0..32, 64, bits, &|k| at[k] > 9);
            copy(3..19, 128, u32::MAX, &|_| true);
            copy(3..19, 192, bits, &bit(bits >> 2));
            copy(7..15, 256, u32::MAX, &|_| true);
            copy(7..15, 259, u32::MAX, &|_| true);
            copy(3..19, 321, bits, &bit(bits));
            copy(0..32, 384, u32::MAX, &|_| true);
            assert_eq!(output.to_vec()?, expected, "{}", device.name());
        }
    }
    Ok(())
}

#[test]
fn hints_of_atomic_operations_change_nothing() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident, $count:literal;)*) => {$(
            let mut all: Vec<(Vec<u8>, Vec<u8>)> = vec![];
            for device in &devices(1) {
                // Small numbers, so that sums of floats are exact.
                let below_7 = |seed: u32, count: usize| -> Vec<$t> {
                    small::<u8>(count, seed).iter().map(|x| (x % 7) as $t).collect()
                };
                let numbers = Buffer::from_slice(device, &[4u32, 0, 3, 9, 7, 1, 8, 6])?;
                let sources = Buffer::from_slice(device, &below_7(2, 16))?;
                let mut cells = Buffer::from_slice(device, &below_7(5, 10))?;
                let mut old = Buffer::<$t>::new(device, 8 * $count)?;
                kernels::$name::launch(device, space(1, 1), &numbers, &sources, &mut cells, &mut old)?;
                all.push((Bytes::of(&cells.to_vec()?).0, Bytes::of(&old.to_vec()?).0));
            }
            // The operations themselves are compared with their meaning by `atomics`.
            assert!(all.windows(2).all(|two| two[0] == two[1]), "{}", stringify!($name));
            assert!(all[0].1.iter().any(|byte| *byte != 0));
        )*};
    }
    check! {
        hinted_atomics_u32: u32, 11;
        hinted_atomics_i16: i16, 4;
        hinted_atomics_f32: f32, 4;
    }
    Ok(())
}

#[test]
fn masked_and_scaled_elements() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident;)*) => {$(
            for (base, bits, distinct) in
                [(0, 0xffff_ffffu32, true), (2, 0x1234_5679, true), (-3, 0, true), (5, 0x8001_fefe, false)]
            {
                for device in &devices(2) {
                    let (input, old) = (small::<$t>(67, 8), small::<$t>(67, 9));
                    let numbers = numbers(64, (40 + base) as u32, distinct);
                    let mut output = Buffer::from_slice(device, &old)?;
                    let input_buffer = Buffer::from_slice(device, &input)?;
                    let numbers_buffer = Buffer::from_slice(device, &numbers)?;
                    kernels::$name::launch(
                        device, space(1, 1), &input_buffer, &numbers_buffer, &mut output, base, bits,
                    )?;

                    let (input, mut expected) = (Bytes::of(&input), Bytes::of(&old));
                    let (a, b) = numbers.split_at(32);
                    let base = base as u32;
                    let every = |all: &[u32], start: usize, stride: usize, count: usize| -> Vec<u32> {
                        all.iter().skip(start).step_by(stride).take(count).copied().collect()
                    };
                    let size = size_of::<$t>() as u32;
                    let scaled = |base: u32, offset: u32| base.wrapping_add(offset) / size;
                    let counted = |base: u32, offset: u32| base.wrapping_add(offset);
                    let all = |_: usize| true;
                    let bit = |bits: u32| move |lane: usize| bits >> lane & 1 != 0;
                    type Mask<'a> = &'a dyn Fn(usize) -> bool;
                    type Unit<'a> = &'a dyn Fn(u32, u32) -> u32;
                    let mut step = |(from, read_unit, read): (u32, Unit<'_>, &[u32]), of: Mask<'_>,
                                    (to, unit, written): (u32, Unit<'_>, &[u32]), into: Mask<'_>| {
                        let values: Vec<$t> = (0..read.len())
                            .map(|k| if of(k) { input.get(read_unit(from, read[k])) } else { $t::default() })
                            .collect();
                        for (k, value) in values.into_iter().enumerate().filter(|(k, _)| into(*k)) {
                            expected.set(unit(to, written[k]), value);
                        }
                    };
                    step((base, &scaled, a), &all, (0, &scaled, b), &all);
                    step((base, &counted, b), &|k| a[k] > b[k], (3, &scaled, a), &|k| b[k] & 1 != 0);
                    step(
                        (1, &scaled, &every(b, 1, 2, 16)), &bit(bits),
                        (base, &counted, &every(a, 0, 2, 16)), &bit(bits >> 16),
                    );
                    step((0, &counted, &a[5..13]), &bit(bits), (base, &scaled, &b[20..28]), &all);
                    step((base, &scaled, &b[11..12]), &all, (1, &counted, &a[10..11]), &bit(bits));
                    assert_eq!(Bytes::of(&output.to_vec()?).0, expected.0, "{} {base} {bits}", stringify!($name));
                }
            }
        )*};
    }
    check! {
        masked_u8: u8;
        masked_i16: i16;
        masked_f32: f32;
        masked_u64: u64;
    }
    Ok(())
}

#[test]
fn channels() -> cm::Result<()> {
    for (len, bits) in [(200, u32::MAX), (96, 0xff00_1234), (44, 0)] {
        for device in &devices(2) {
            let (input, old) = (small::<i32>(len, 3), small::<i32>(len, 4));
            let numbers = numbers(64, 21, true);
            let mut output = Buffer::from_slice(device, &old)?;
            kernels::channels::launch(
                device,
                space(1, 1),
                &Buffer::from_slice(device, &input)?,
                &Buffer::from_slice(device, &numbers)?,
                &mut output,
                bits,
            )?;

            let (input, mut expected) = (Bytes::of(&input), Bytes::of(&old));
            let (a, b) = numbers.split_at(32);
            let mut copied = |channels: &[u32], from: &[u32], to: &[u32], of: u32, into: u32| {
                // Red of all lanes comes first, then green and so on.
                for channel in channels {
                    for lane in 0..to.len() {
                        let value: i32 =
                            if of >> lane & 1 == 0 { 0 } else { input.get(from[lane] + channel) };
                        if into >> lane & 1 != 0 {
                            expected.set(to[lane] + channel, value);
                        }
                    }
                }
            };
            copied(&[0, 1, 2, 3], &a[..8], &b[..8], u32::MAX, u32::MAX);
            copied(&[0, 2], &a[8..24], &b[8..24], bits, u32::MAX);
            copied(&[1], a, b, u32::MAX, bits);
            copied(&[0, 1, 3], &a[3..4], &b[9..10], bits, bits >> 5);
            assert_eq!(Bytes::of(&output.to_vec()?).0, expected.0, "{len} {bits:x}");
        }
    }
    Ok(())
}

/// A matrix is one block, whose rows follow each other.
#[kernel]
fn matrix_at(written: &mut Buffer<u8>, stored: &mut Buffer<u8>, at: i32) {
    let rows = Matrix::<u8, 2, 16>::splat(7);
    written.write(at, &rows);
    stored.store(at, &rows);
}

#[test]
fn rows_of_a_matrix_do_not_wrap() -> cm::Result<()> {
    for at in [-48, -32, -16, 0, 16, 32, 48, 64, i32::MAX & !15, i32::MIN] {
        let mut expected = [0; 64];
        if let Ok(at) = usize::try_from(at) {
            expected.iter_mut().skip(at).take(32).for_each(|byte| *byte = 7);
        }
        for device in &devices(2) {
            let (mut written, mut stored) = (Buffer::new(device, 64)?, Buffer::new(device, 64)?);
            matrix_at::launch(device, space(1, 1), &mut written, &mut stored, at)?;
            assert_eq!(written.to_vec()?, expected, "{at} on {device:?}");
            assert_eq!(stored.to_vec()?, expected, "{at} on {device:?}");
        }
    }
    Ok(())
}
