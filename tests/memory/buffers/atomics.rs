//! Atomic operations on buffers, lane by lane, against the same operations one after the other.

use cm::prelude::*;
use cm_test_kernels::buffers as kernels;
use cm_test_support::devices::devices;
use cm_test_support::noise::{small, stream};
use cm_test_support::numbers::numbers;
use cm_test_support::spaces::space;

use super::bytes::Bytes;
use crate::atomics::{Step, integer_steps};

#[test]
fn masked_atomic_operations() -> cm::Result<()> {
    for bits in [0, u32::MAX, 0x1234_5678] {
        for device in &devices(2) {
            let (numbers, cells) = (numbers(64, 7, false), small::<i32>(8, 9));
            let numbers_buffer = Buffer::from_slice(device, &numbers)?;
            let mut cells_buffer = Buffer::from_slice(device, &cells)?;
            let mut old = Buffer::<i32>::new(device, 40)?;
            kernels::masked_atomics::launch(
                device,
                space(1, 1),
                &numbers_buffer,
                &mut cells_buffer,
                &mut old,
                bits,
            )?;

            let (a, b) = numbers.split_at(32);
            let mut expected = Bytes::of(&cells);
            let mut before = vec![0i32; 40];
            for k in (0..32).filter(|k| a[*k] > b[*k]) {
                before[k] = expected.get(a[k] & 7);
                expected.set(a[k] & 7, before[k].wrapping_add(b[k] as i32));
            }
            for k in (0..32).filter(|k| bits >> k & 1 != 0) {
                let value: i32 = expected.get(b[k] & 7);
                expected.set(b[k] & 7, value.wrapping_add(1));
            }
            for k in (0..8).filter(|k| bits >> 8 >> k & 1 != 0) {
                let at = b[2 + 3 * k];
                before[32 + k] = expected.get(at);
                if before[32 + k] == before[3 + k] {
                    expected.set(at, at as i32);
                }
            }
            assert_eq!(old.to_vec()?, before, "{bits:x}");
            assert_eq!(Bytes::of(&cells_buffer.to_vec()?).0, expected.0, "{bits:x}");
        }
    }
    Ok(())
}

/// The operations on floats.
macro_rules! float_steps {
    ($t:ident) => {{
        let steps: [Step<$t>; 7] = [
            |old, x, _| old + x,
            |old, _, y| old - y,
            |old, x, _| if x < old { x } else { old },
            |old, _, y| if y > old { y } else { old },
            |old, x, y| if old == y { x } else { old },
            |_, _, y| y,
            |old, x, y| if old == y { x } else { old },
        ];
        steps
    }};
}

/// The final contents of the cells, and the value that each operation found.
fn updated<T: Elem>(
    steps: &[Step<T>],
    rounds: usize,
    at: &[u32],
    [x, y]: [&[T]; 2],
    cells: &[T],
) -> (Vec<u8>, Vec<T>) {
    let mut expected = Bytes::of(cells);
    let mut before = vec![];
    for round in 0..rounds {
        for step in steps {
            for (lane, element) in at.iter().enumerate() {
                let value: T = expected.get(*element);
                expected.set(*element, step(value, x[lane], y[lane]));
                if round == 0 {
                    before.push(value);
                }
            }
        }
    }
    (expected.0, before)
}

/// Small and other numbers; for floats, numbers that never produce NaN.
fn sources<T: Numeric>(len: usize, next: &mut impl FnMut() -> u32) -> Vec<T> {
    let number = |i: usize, x: u32| match i % 3 {
        0 => T::cast_from(x % 4),
        _ if T::FLOAT => T::cast_from(x as i16),
        _ => T::cast_from(u64::from(x) * 0x1_0000_0003),
    };
    (0..len).map(|i| number(i, next())).collect()
}

#[test]
fn atomics() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident, $steps:ident, $($lanes:literal)*;)*) => {$($(
            for seed in [1, 20, 300] {
                for device in &devices(2) {
                    let mut next = stream(seed);
                    // Whole owords, so that elements beyond them are really out of bounds on a GPU.
                    let len = 48 / size_of::<$t>();
                    let (inputs, cells) = (sources::<$t>(64, &mut next), sources::<$t>(len, &mut next));
                    let mut at = numbers(len as u32, seed, false);
                    for lane in 0..32 {
                        at[32 + lane] = lane as u32;
                    }
                    let numbers = Buffer::from_slice(device, &at)?;
                    let sources_buffer = Buffer::from_slice(device, &inputs)?;
                    let mut cells_buffer = Buffer::from_slice(device, &cells)?;
                    let steps = $steps!($t);
                    let mut old = Buffer::<$t>::new(device, steps.len() * $lanes)?;
                    kernels::$name::<$lanes>::launch(
                        device, space(1, 1), &numbers, &sources_buffer, &mut cells_buffer, &mut old,
                    )?;

                    let (x, y) = inputs.split_at(32);
                    let (expected, before) = updated(&steps, 2, &at[..$lanes], [x, y], &cells);
                    let name = stringify!($name);
                    assert_eq!(Bytes::of(&old.to_vec()?).0, Bytes::of(&before).0, "{name} of {}", $lanes);
                    assert_eq!(Bytes::of(&cells_buffer.to_vec()?).0, expected, "{name} of {}", $lanes);
                }
            }
        )*)*};
    }
    check! {
        atomics_u32: u32, integer_steps, 1 2 4 8 16 32;
        atomics_i32: i32, integer_steps, 1 2 4 8 16 32;
        atomics_u16: u16, integer_steps, 1 8 32;
        atomics_i16: i16, integer_steps, 2 16;
        atomics_f32: f32, float_steps, 1 4 16 32;
        atomics_f16: f16, float_steps, 8 32;
    }
    Ok(())
}

#[test]
fn atomics_of_64_bits() -> cm::Result<()> {
    macro_rules! check {
        ($($name:ident: $t:ident;)*) => {$(
            for (n, device) in devices(2).iter().enumerate() {
                let mut next = stream(5);
                let (inputs, cells) = (sources::<$t>(16, &mut next), sources::<$t>(8, &mut next));
                let at = &numbers(8, 3, false)[..8];
                let mut cells_buffer = Buffer::from_slice(device, &cells)?;
                let steps = integer_steps!($t);
                let mut old = Buffer::<$t>::new(device, steps.len() * 8)?;
                let launched = kernels::$name::launch(
                    device,
                    space(1, 1),
                    &Buffer::from_slice(device, at)?,
                    &Buffer::from_slice(device, &inputs)?,
                    &mut cells_buffer,
                    &mut old,
                );
                // GPUs before Xe-HPG have no message for them.
                if let (true, Err(error)) = (n > 0, &launched) {
                    let message = error.to_string();
                    assert!(message.contains("atomic operations on `") && message.contains("Xe-HPG"), "{message}");
                    continue;
                }
                launched?;
                let (x, y) = inputs.split_at(8);
                let (expected, before) = updated(&steps, 1, at, [x, y], &cells);
                assert_eq!(old.to_vec()?, before, "{}", stringify!($name));
                assert_eq!(Bytes::of(&cells_buffer.to_vec()?).0, expected, "{}", stringify!($name));
            }
        )*};
    }
    check! { atomics_u64: u64; atomics_i64: i64; }
    Ok(())
}

#[test]
fn atomics_of_special_floats() -> cm::Result<()> {
    let special = [f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1.5, 1e-40, -1e-40];
    let at = |by: usize| -> Vec<f32> { (0..16).map(|n| special[(n * by + n / 8) % 8]).collect() };
    let (x, y, cells) = (at(3), at(5), at(1));
    for device in &devices(2) {
        let sources = Buffer::from_slice(device, &[x.clone(), y.clone()].concat())?;
        let mut cells_buffer = Buffer::from_slice(device, &cells)?;
        let mut old = Buffer::<f32>::new(device, 64)?;
        kernels::atomic_floats::launch(device, space(1, 1), &sources, &mut cells_buffer, &mut old)?;
        let (mut now, mut before) = (cells.clone(), vec![]);
        let steps: [(Step<f32>, usize); 4] = [
            (|old, x, _| if x < old { x } else { old }, 0),
            (|old, _, y| if y > old { y } else { old }, 0),
            (|old, x, y| if old == y { x } else { old }, 1),
            (|_, _, y| y, 0),
        ];
        for (n, (step, flip)) in steps.into_iter().enumerate() {
            for lane in 0..16 {
                let part = n < 3 || 0x5a5a >> lane & 1 != 0;
                let cell = &mut now[lane ^ flip];
                before.push(if part { *cell } else { 0.0 });
                if part {
                    *cell = step(*cell, x[lane], y[lane]);
                }
            }
        }
        let bits = |all: &[f32]| -> Vec<u32> { all.iter().map(|x| x.to_bits()).collect() };
        assert_eq!(bits(&old.to_vec()?), bits(&before), "{device:?}");
        assert_eq!(bits(&cells_buffer.to_vec()?), bits(&now), "{device:?}");
    }
    Ok(())
}

/// Sources that are numbers, of the host and of the kernel, for all lanes.
#[kernel]
fn numbers_as_sources(x: &Buffer<u32>, cells: &mut Buffer<u32>, floats: &mut Buffer<f32>, n: u32) {
    let at = x.read::<4>(0);
    let own = slm::<u32, 4>();
    own.write_linear(0, &Vector::<u32, 4>::splat(1));
    let mut more = n + 1;
    cells.write_atomic(atomic::Add(2), &at);
    cells.write_atomic(atomic::Max(more), &at);
    more = math::sum::<u32, _>(at);
    let old = cells.fetch_atomic(atomic::CmpXchg(more, n), 7);
    own.write_atomic(atomic::Or(6), 2);
    cells.write_atomic(atomic::Sub(&own.read_scattered(2, 0)), 6);
    cells.write_atomic_masked(&Vector::from_array([1u16, 0, 1, 0]), atomic::Add(old.get(0)), &at);
    floats.write_atomic(atomic::Min(0.5), &Vector::from_array([0u32, 2]));
}

#[test]
fn sources_that_are_numbers() -> cm::Result<()> {
    let (at, n) = ([1u32, 3, 1, 5], 6);
    let mut expected = [0, 0, 0, 9, 0, 0, 0, n];
    at.into_iter().for_each(|i| expected[i as usize] += 2);
    at.into_iter().for_each(|i| expected[i as usize] = expected[i as usize].max(n + 1));
    expected[7] = at.iter().sum();
    expected[6] = 0u32.wrapping_sub(7);
    expected[1] += 2 * n;
    for device in &devices(1) {
        let x = Buffer::from_slice(device, &at)?;
        let mut cells = Buffer::from_slice(device, &[0, 0, 0, 9, 0, 0, 0, n])?;
        let mut floats = Buffer::from_slice(device, &[1.0f32, 2.0, 0.25])?;
        numbers_as_sources::launch(device, space(1, 1), &x, &mut cells, &mut floats, n)?;
        assert_eq!(cells.to_vec()?, expected, "{device:?}");
        assert_eq!(floats.to_vec()?, [0.5, 2.0, 0.25], "{device:?}");
    }
    Ok(())
}
