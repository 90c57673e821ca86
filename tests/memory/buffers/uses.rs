//! Typical uses of buffers, against scalar code; and which kernels run on several threads.

use cm::prelude::*;
use cm_test_kernels::buffers as kernels;
use cm_test_support::devices::devices;
use cm_test_support::noise::stream;
use cm_test_support::spaces::space;

#[test]
fn axpy() -> cm::Result<()> {
    for device in &devices(2) {
        let mut next = stream(4);
        let mut all = || -> Vec<f32> { (0..1000).map(|_| (next() >> 8) as f32 / 999.0).collect() };
        let (x, y) = (all(), all());
        let mut sum = Buffer::from_slice(device, &y)?;
        // The last thread is partly out of bounds.
        kernels::axpy::launch(device, space(32, 1), 0.3, &Buffer::from_slice(device, &x)?, &mut sum)?;
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * 0.3 + y).collect();
        assert_eq!(sum.to_vec()?, expected);
    }
    Ok(())
}

/// The last block is partly outside.
#[test]
fn quarters() -> cm::Result<()> {
    let x: Vec<u32> = (0..3 * 32 - 11).map(|n| n * 977).collect();
    let expected: Vec<u32> = x.iter().zip(0..).map(|(x, n): (&u32, u32)| x + 3 - n % 32 / 8).collect();
    for device in &devices(2) {
        let mut y = Buffer::<u32>::new(device, x.len())?;
        kernels::quarters::launch(device, space(3, 1), &Buffer::from_slice(device, &x)?, &mut y)?;
        assert_eq!(y.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}

#[test]
fn blocks_of_their_own_run_in_parallel() -> cm::Result<()> {
    for device in &devices(2) {
        let x: Vec<f32> = (0..32 * 2000).map(|x| x as f32).collect();
        let mut y = Buffer::<f32>::new(device, x.len())?;
        let event =
            kernels::axpy::launch(device, space(2000, 1), 2.0, &Buffer::from_slice(device, &x)?, &mut y)?;
        assert!([0, 2].contains(&event.workers()));
        assert_eq!(y.to_vec()?, x.iter().map(|x| x * 2.0).collect::<Vec<_>>());
        // Threads of different rows have the same offsets.
        let event =
            kernels::axpy::launch(device, space(2000, 2), 1.0, &Buffer::from_slice(device, &x)?, &mut y)?;
        assert!([0, 1].contains(&event.workers()));
        // A GPU has no order: if two threads read before one of them writes, one addition is lost.
        let least = if event.workers() == 1 { 4.0 } else { 3.0 };
        let right = |(x, y): (&f32, f32)| (y == x * 4.0) || (y == x * least);
        assert!(x.iter().zip(y.to_vec()?).all(right));
    }
    Ok(())
}

#[test]
fn histogram() -> cm::Result<()> {
    let mut next = stream(77);
    let values: Vec<u8> = (0..64 * 3 * 50).map(|_| (next() >> 9) as u8 & 0x5f).collect();
    let mut expected = vec![0u32; 256];
    values.iter().for_each(|value| expected[usize::from(*value)] += 1);
    for workers in [1, 2, 7] {
        let device = Device::cpu_with_threads(workers)?;
        let mut bins = Buffer::new(&device, 256)?;
        let values = Buffer::from_slice(&device, &values)?;
        let event = kernels::histogram::launch(&device, space(3, 50), &values, &mut bins)?;
        assert_eq!(bins.to_vec()?, expected);
        assert_eq!(event.ran_one_by_one(), None, "the order of atomic increments does not show");
    }
    Ok(())
}

#[test]
fn transpose() -> cm::Result<()> {
    for device in &devices(2) {
        let width = 48usize;
        let input: Vec<u16> = (0..width * width).map(|n| n as u16 * 7).collect();
        let mut output = Buffer::new(device, input.len())?;
        let input_buffer = Buffer::from_slice(device, &input)?;
        kernels::transpose::launch(device, space(3, 3), &input_buffer, &mut output, width as u32)?;
        let expected: Vec<u16> = (0..width * width).map(|n| input[n % width * width + n / width]).collect();
        assert_eq!(output.to_vec()?, expected);
    }
    Ok(())
}

#[test]
fn reverse() -> cm::Result<()> {
    for device in &devices(2) {
        let input: Vec<i8> = (0..32 * 9).map(|n| (n * 5) as i8).collect();
        let mut output = Buffer::new(device, input.len())?;
        let last = input.len() as u32 - 1;
        kernels::reverse::launch(
            device,
            space(9, 1),
            &Buffer::from_slice(device, &input)?,
            &mut output,
            last,
        )?;
        assert_eq!(output.to_vec()?, input.iter().rev().copied().collect::<Vec<_>>());
    }
    Ok(())
}

/// Adds up a block of each surface row in a buffer: buffers and surfaces in one kernel, with a helper.
#[function]
fn add_to(sums: &mut Buffer<i32>, row: u32, values: Vector<u8, 16>) {
    let offset = row * 64;
    sums.write(offset, &(sums.read::<16>(offset) + values));
}

#[kernel]
fn sums_of_rows(input: &Surface2D, sums: &mut Buffer<i32>) {
    let row = thread_origin_y();
    for x in 0..4 {
        add_to(sums, row, input.read::<u8, 1, 16>(x * 16, row).row(0));
    }
}

#[test]
fn surfaces_and_buffers() -> cm::Result<()> {
    for device in &devices(2) {
        let bytes: Vec<u8> = (0..64 * 2000).map(|n: u32| (n * 31 % 251) as u8).collect();
        let input = Surface2D::from_bytes(device, Format::R8, 64, 2000, &bytes)?;
        let mut sums = Buffer::<i32>::new(device, 16 * 2000)?;
        let event = sums_of_rows::launch(device, space(1, 2000), &input, &mut sums)?;
        assert!([0, 2].contains(&event.workers()));
        let expected: Vec<i32> = (0..16 * 2000)
            .map(|n| (0..4).map(|x| i32::from(bytes[n / 16 * 64 + x * 16 + n % 16])).sum())
            .collect();
        assert_eq!(sums.to_vec()?, expected);
    }
    Ok(())
}

#[kernel]
fn dwords(x: &Buffer<i32>, y: &mut Buffer<i32>) {
    let offset = (thread_origin_y() * 4 + thread_origin_x()) * 32;
    y.write(offset, &(x.read_dwaligned::<8>(offset + 4) - x.read::<8>(offset)));
}

#[test]
fn differences() -> cm::Result<()> {
    for device in &devices(2) {
        let x: Vec<i32> = (0..32 * 500).map(|n| n * n).collect();
        let mut y = Buffer::<i32>::new(device, x.len())?;
        let event = dwords::launch(device, space(4, 500), &Buffer::from_slice(device, &x)?, &mut y)?;
        assert!([0, 2].contains(&event.workers()), "rows of threads one after the other");
        let expected: Vec<i32> =
            (0..x.len()).map(|n| x.get(n + 1).copied().unwrap_or(0).wrapping_sub(x[n])).collect();
        assert_eq!(y.to_vec()?, expected);
        let event =
            kernels::differences::launch(device, space(2000, 1), &Buffer::from_slice(device, &x)?, &mut y)?;
        assert!([0, 2].contains(&event.workers()));
        assert_eq!(y.to_vec()?, expected);
    }
    Ok(())
}

/// Single elements, by numbers of the kernel and of the host.
#[kernel]
fn single_elements(x: &Buffer<i32>, y: &mut Buffer<i32>, counts: &mut Buffer<u32>, n: i32) {
    let own = slm::<i32, 4>();
    let i = thread_origin_x();
    own.write_scattered(0, 3, n);
    own.write_scattered(0, 1, 7);
    let sum = x.read_scattered(0, i) + x.read_scattered(i, 4) * own.read_scattered(1, 2).get(0);
    y.write_scattered(0, i, &sum);
    y.write_scattered(i + 4, 0, x.read_scattered(0, n - i).get(0) - own.read_scattered(0, 1).get(0));
    for k in 0..2 {
        y.write_scattered_masked((i == 1) as u32, i + 8, k, k as i32 + n);
        y.write_scaled(0, i * 4 + 48, 5);
    }
    counts.write_atomic(atomic::Inc, i);
    let before = counts.fetch_atomic(atomic::Inc, 6).get(0);
    counts.write_atomic(atomic::Add(&Vector::<u32, 1>::splat(before)), 7);
}

#[test]
fn single_elements_are_numbers() -> cm::Result<()> {
    let (x, n) = ([3, -1, 4, 1, -5, 9, 2, 6], 5);
    let mut expected = [0; 16];
    for i in 0..4 {
        expected[i] = x[i] + x[i + 4] * n;
        expected[i + 4] = x[n as usize - i] - 7;
        expected[i + 12] = 5;
    }
    for k in 0..2 {
        expected[9 + k] = k as i32 + n;
    }
    for device in &devices(1) {
        let mut y = Buffer::<i32>::new(device, 16)?;
        let mut counts = Buffer::<u32>::new(device, 8)?;
        let x = Buffer::from_slice(device, &x)?;
        single_elements::launch(device, space(4, 1), &x, &mut y, &mut counts, n)?;
        assert_eq!(y.to_vec()?, expected, "{}", device.name());
        assert_eq!(counts.to_vec()?, [1, 1, 1, 1, 0, 0, 4, 6], "{}", device.name());
    }
    Ok(())
}
