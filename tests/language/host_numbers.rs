//! Numbers of the host in kernels: sizes, and constants with types and casts.

use cm::prelude::*;
use cm_test_support::devices::devices;

#[kernel]
fn sum<const N: usize>(output: &mut Buffer<u64>, n: u64) {
    output.write(0, &Vector::<u64, 2>::splat(n + N));
}

#[kernel]
fn compared<const N: usize>(output: &mut Buffer<f32>, n: f32) {
    let v = Vector::<f32, 4>::splat(n);
    output.write(0, &(v > N).convert::<f32>());
}

#[kernel]
fn splat<const N: usize>(output: &mut Buffer<u64>) {
    output.write(0, &Vector::<u64, 2>::splat(N));
}

#[kernel]
fn left<const N: usize>(output: &mut Buffer<f32>, n: f32) {
    let x = if N < n { 1.0f32 } else { 2.0f32 };
    output.write(0, &Vector::<f32, 4>::splat(x));
}

#[kernel]
fn cast<const N: usize>(output: &mut Buffer<u64>, n: u64) {
    output.write(0, &Vector::<u64, 2>::splat(n + N as u64));
}

#[kernel]
fn of_a_table<const N: usize>(output: &mut Buffer<i32>, n: i32) {
    let sizes = [10, N];
    let larger = sizes[1] > Vector::<i32, 4>::splat(n);
    output.write(0, &larger.convert::<i32>());
}

/// A `usize` is an `i32` in kernels.
#[test]
fn host_numbers_that_do_not_fit_are_errors() -> cm::Result<()> {
    const MOST: usize = i32::MAX as usize;
    const MORE: usize = MOST + 1;
    let fit = [
        sum::<MOST>::ir(),
        compared::<MOST>::ir(),
        splat::<MOST>::ir(),
        left::<MOST>::ir(),
        of_a_table::<MOST>::ir(),
    ];
    assert!(fit.iter().all(Result::is_ok), "{fit:?}");
    for error in [
        sum::<MORE>::ir(),
        compared::<MORE>::ir(),
        splat::<MORE>::ir(),
        left::<MORE>::ir(),
        of_a_table::<MORE>::ir(),
    ] {
        let error = error.expect_err("the number does not fit").to_string();
        assert!(error.contains("the host number 2147483648, which is an `i32`"), "{error}");
    }
    for device in &devices(1) {
        let mut output = Buffer::<u64>::new(device, 2)?;
        cast::<MORE>::launch(device, ThreadSpace::new(1, 1)?, &mut output, 1)?;
        assert_eq!(output.to_vec()?, [MORE as u64 + 1; 2], "{}", device.name());
    }
    Ok(())
}

const ROWS: u8 = 4;
const STEP: u32 = 2;
const SHIFT: i64 = 3;
const SCALE: f64 = 1.5;
const LANES: usize = 8;
const TAPS: [u16; 4] = [1, 2, 3, 4];

/// Constants of the host with types, casts and sizes, as C programs mix them.
#[kernel]
fn typed_constants(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32, s: i32) {
    const LAST: usize = STEP as usize * 4;
    let v = input.read::<16>(0);
    let mut sums = Vector::<u32, LANES>::splat(0);
    for r in 0..ROWS {
        for c in (0..LAST).step_by(STEP as usize) {
            sums += v.select::<LANES, 1>(r as usize + c / 2) * TAPS[(ROWS - 1 - r) as usize];
        }
    }
    for i in (r_of(n)..ROWS as u32).step_by(STEP as usize) {
        sums += (n << i) | ((1 << SHIFT) - 1);
    }
    let half = LANES / 2 - 1;
    let at = half * size_of::<u32>() + STEP as usize;
    sums.get_mut(half).assign(v.get(s + 4) + at + ROWS.max(7) as u32);
    sums.get_mut(s as u32 + 3).assign(v.get(n) as f64 * SCALE + SHIFT as f64);
    let limited: u32 = if n > STEP { STEP } else { n };
    sums.get_mut(STEP).assign(limited * LANES as u32 + (n as i32 - s) as u32 % ROWS as u32);
    output.write(STEP * ROWS as u32 * LANES as u32 / 4 - 16, &sums);
}

#[function]
fn r_of(n: u32) -> u32 {
    if n > SHIFT as u32 { 1 } else { 0 }
}

#[test]
fn typed_constants_and_casts_mix() -> cm::Result<()> {
    let v: Vec<u32> = (0..16).map(|i| i * i + 3).collect();
    for device in &devices(1) {
        for (n, s) in [(3, -2), (5, 1), (1, 0)] {
            let mut expected = vec![0u32; 8];
            for (w, sum) in expected.iter_mut().enumerate() {
                for r in 0..4 {
                    for c in [0, 2, 4, 6] {
                        *sum += v[w + r + c / 2] * u32::from(TAPS[3 - r]);
                    }
                }
                *sum += (u32::from(n > 3)..4).step_by(2).map(|i| (n << i) | 7).sum::<u32>();
            }
            expected[3] = v[(s + 4) as usize] + 14 + 7;
            expected[(s + 3) as usize] = (f64::from(v[n as usize]) * 1.5 + 3.0) as u32;
            expected[2] = n.min(2) * 8 + (n as i32 - s) as u32 % 4;
            let input = Buffer::from_slice(device, &v)?;
            let mut output = Buffer::<u32>::new(device, 8)?;
            typed_constants::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, n, s)?;
            assert_eq!(output.to_vec()?, expected, "{n}, {s}, {}", device.name());
        }
    }
    Ok(())
}

#[kernel]
fn before_the_first(output: &mut Buffer<i32>, a: i32) {
    let mut s = a;
    for i in 0..3i32 {
        let n: usize = i - 1;
        s += n as i32;
    }
    output.write(0, &Vector::<i32, 4>::splat(s));
}

#[kernel]
fn from_the_first(output: &mut Buffer<i32>, a: i32) {
    let mut s = a;
    for i in 0..3i32 {
        let n: usize = i;
        let below: isize = i - 1;
        s += n as i32 * 10 + below as i32;
    }
    output.write(0, &Vector::<i32, 4>::splat(s));
}

#[test]
fn negative_numbers_are_no_sizes() -> cm::Result<()> {
    let error = before_the_first::ir().expect_err("-1 is no `usize`").to_string();
    assert!(error.contains("-1"), "{error}");
    for device in &devices(1) {
        let mut output = Buffer::<i32>::new(device, 4)?;
        from_the_first::launch(device, ThreadSpace::new(1, 1)?, &mut output, 7)?;
        assert_eq!(output.to_vec()?, [37; 4], "{}", device.name());
    }
    Ok(())
}
