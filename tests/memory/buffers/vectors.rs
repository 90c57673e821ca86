//! Scattered vectors of elements, against the same accesses to slices.

use cm::prelude::*;
use cm_test_kernels::vectors as kernels;
use cm_test_support::devices::devices;
use cm_test_support::noise::small;
use cm_test_support::numbers::vector_places;
use cm_test_support::spaces::space;

use super::bytes::Bytes;

#[test]
fn vectors_of_elements() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident;)*) => {$(
            for (base, bits) in [(0i32, u32::MAX), (3, 0x1234_5679), (-2, 0x8001_fefe)] {
                for device in &devices(2) {
                    let size = size_of::<$t>() as u32;
                    let (len, numbers) = (651, vector_places(size, 651));
                    let (input, old) = (small::<$t>(len, 8), small::<$t>(len, 9));
                    let mut output = Buffer::from_slice(device, &old)?;
                    kernels::$name::launch(
                        device,
                        space(1, 1),
                        &Buffer::from_slice(device, &input)?,
                        &Buffer::from_slice(device, &numbers)?,
                        &mut output,
                        base,
                        bits,
                    )?;

                    let (input, mut expected) = (Bytes::of(&input), Bytes::of(&old));
                    let (a, b) = numbers.split_at(32);
                    // The first byte of element `row` of a vector. Only that of the first element wraps.
                    let start = |base: i32, first: u32, row: usize| {
                        Bytes::start::<$t>(first.wrapping_add(base as u32)) + (row as u64) * u64::from(size)
                    };
                    let mut step = |rows: usize, from: (i32, &[u32], u32), to: (i32, &[u32], u32)| {
                        for lane in (0..from.1.len()).filter(|lane| to.2 >> lane & 1 != 0) {
                            for row in 0..rows {
                                let read = input.read(start(from.0, from.1[lane], row), size as usize);
                                let value = if from.2 >> lane & 1 != 0 { read } else { vec![0; size as usize] };
                                expected.write(start(to.0, to.1[lane], row), &value);
                            }
                        }
                    };
                    let all = u32::MAX;
                    step(4, (base, &a[..16], all), (0, &b[..16], all));
                    step(2, (3, a, bits), (base, b, bits >> 5));
                    let later = (0..8).fold(0, |mask, lane| mask | u32::from(a[8 + lane] > 64) << lane);
                    step(3, (base, &a[8..16], later), (5, &b[16..24], all));
                    step(8, (0, &a[24..28], all), (0, &b[28..], bits));
                    step(8, (base, &a[31..], all), (base, &b[27..28], all));
                    let found = Bytes::of(&output.to_vec()?);
                    assert_eq!(found.0, expected.0, "{} {base} {bits:x} on {device:?}", stringify!($name));
                }
            }
        )*};
    }
    check! {
        vectors_u32: u32;
        vectors_i32: i32;
        vectors_f32: f32;
        vectors_u64: u64;
        vectors_i64: i64;
    }
    Ok(())
}

/// Elements that are next to each other. Some are outside; the buffer ends inside of four.
#[test]
fn neighbouring_elements() -> cm::Result<()> {
    let input = small::<u32>(651, 8);
    let mut numbers: Vec<u32> = (0..32).map(|k| k * 37 % 163).collect();
    numbers[3..9].copy_from_slice(&[162, 163, 325, 1 << 28, (1 << 30) + 7, u32::MAX]);
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 6 * 32)?;
        kernels::neighbouring_elements::launch(
            device,
            space(1, 1),
            &Buffer::from_slice(device, &input)?,
            &Buffer::from_slice(device, &numbers)?,
            &mut output,
        )?;
        // Addresses wrap in 32 bits.
        let at = |number: u32| *input.get(number.wrapping_mul(4) as usize / 4).unwrap_or(&0);
        let of =
            |(times, plus)| numbers.iter().map(move |n: &u32| at(n.wrapping_mul(times).wrapping_add(plus)));
        let all = [(4, 0), (4, 1), (4, 2), (4, 3), (2, 1), (2, 2)];
        let expected: Vec<u32> = all.into_iter().flat_map(of).collect();
        assert_eq!(output.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}

/// Atomic operations are other messages than vectors of the load/store cache: each row is such a message then.
#[test]
fn vectors_of_counters() -> cm::Result<()> {
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 31)?;
        kernels::vectors_and_counts::launch(device, space(1, 1), &mut output)?;
        let expected: Vec<u32> = (0..31).map(|k| if k % 4 == 0 { 2 } else { 1 }).collect();
        assert_eq!(output.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}

#[test]
fn vectors_with_cache_hints() -> cm::Result<()> {
    let data = small::<u32>(224, 8);
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 224)?;
        kernels::vectors_hints::launch(
            device,
            space(1, 1),
            &Buffer::from_slice(device, &data)?,
            &mut output,
        )?;
        assert_eq!(output.to_vec()?, data, "{device:?}");
    }
    Ok(())
}

/// A slice that ends inside of its buffer, in the middle of a vector.
#[test]
fn vectors_of_slices() -> cm::Result<()> {
    for device in &devices(2) {
        let (input, old) = (small::<i32>(700, 8), small::<i32>(700, 9));
        let numbers = Buffer::from_slice(device, &vector_places(4, 651))?;
        let whole = Buffer::from_slice(device, &input)?;
        let mut parts = Buffer::from_slice(device, &old)?;
        kernels::vectors_i32::launch(
            device,
            space(1, 1),
            &*whole.slice(16..667)?,
            &numbers,
            &mut *parts.slice_mut(16..667)?,
            0,
            u32::MAX,
        )?;
        let mut alone = Buffer::from_slice(device, &old[16..667])?;
        let input = Buffer::from_slice(device, &input[16..667])?;
        kernels::vectors_i32::launch(device, space(1, 1), &input, &numbers, &mut alone, 0, u32::MAX)?;
        let expected = [&old[..16], &alone.to_vec()?, &old[667..]].concat();
        assert_eq!(parts.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}
