//! The right sides of `&&` and `||`, and guards: they run only where the left side does not decide. Against scalar code, on
//! every device.

use cm::prelude::*;
use cm_test_support::devices::devices;

#[function]
fn next(n: &mut u32) -> u32 {
    *n += 1;
    *n
}

/// It does not end if `step` is 0.
#[function]
fn rounds(n: u32, step: u32) -> u32 {
    let (mut at, mut count) = (0u32, 0u32);
    while at < n {
        at += step;
        count += 1;
    }
    count
}

#[kernel]
fn sides(counts: &mut Buffer<u32>, output: &mut Buffer<u32>, a: u32, step: u32) {
    let mut n = 0u32;
    let mut taken = 0u32;
    if a > 3 && next(&mut n) > 1 {
        taken += 1;
    }
    if a > 3 || next(&mut n) > 1 {
        taken += 2;
    }
    if a > 1 && (a < 7 || next(&mut n) > 0) && next(&mut n) > 2 {
        taken += 4;
    }
    while n < 3 && next(&mut n) < 3 {
        taken += 8;
    }
    if step > 0 && rounds(a, step) > 2 {
        taken += 64;
    }
    match a {
        2 if next(&mut n) > 3 => taken += 128,
        2 | 5 => taken += 256,
        _ if a > 6 && next(&mut n) > 3 => taken += 512,
        _ => {}
    }
    if a > 4 && {
        counts.write_scattered(
            0,
            &Vector::<u32, 8>::from_array([0, 1, 2, 3, 4, 5, 6, 7]),
            &Vector::<u32, 8>::splat(a),
        );
        true
    } {
        taken += 1024;
    }
    // Both sides of these are computed.
    let mut any = a == 1;
    any |= a > 6;
    any ^= step == 2;
    any &= (a < 8) | (step < 9);
    if any & !(a == 3) ^ (step == 5) {
        taken += 2048;
    }
    output.write(0, &Vector::<u32, 4>::from_array([taken, n, a, step]));
}

fn expected(a: u32, step: u32) -> [u32; 4] {
    let (mut n, mut taken) = (0, 0);
    let next = |n: &mut u32| {
        *n += 1;
        *n
    };
    if a > 3 && next(&mut n) > 1 {
        taken += 1;
    }
    if a > 3 || next(&mut n) > 1 {
        taken += 2;
    }
    if a > 1 && (a < 7 || next(&mut n) > 0) && next(&mut n) > 2 {
        taken += 4;
    }
    while n < 3 && next(&mut n) < 3 {
        taken += 8;
    }
    if step > 0 && a.div_ceil(step) > 2 {
        taken += 64;
    }
    match a {
        2 if next(&mut n) > 3 => taken += 128,
        2 | 5 => taken += 256,
        _ if a > 6 && next(&mut n) > 3 => taken += 512,
        _ => {}
    }
    if a > 4 {
        taken += 1024;
    }
    let any = ((a == 1 || a > 6) ^ (step == 2)) && (a < 8 || step < 9);
    if (any && a != 3) ^ (step == 5) {
        taken += 2048;
    }
    [taken, n, a, step]
}

#[test]
fn right_sides_run_only_where_they_decide() -> cm::Result<()> {
    for device in &devices(1) {
        let (mut counts, mut output) = (Buffer::<u32>::new(device, 8)?, Buffer::<u32>::new(device, 4)?);
        let mut written = 0;
        for (a, step) in (0..10).flat_map(|a| [0, 1, 2, 5, 9].map(|step| (a, step))) {
            sides::launch(device, ThreadSpace::new(1, 1)?, &mut counts, &mut output, a, step)?;
            assert_eq!(output.to_vec()?, expected(a, step), "{a} {step} {device:?}");
            if a > 4 {
                written = a;
            }
            assert_eq!(counts.to_vec()?, [written; 8], "{a} {step} {device:?}");
        }
    }
    Ok(())
}

/// What is recorded behind an exit that is always taken breaks no rule.
#[kernel]
fn leaves(output: &mut Buffer<u32>, n: u32) {
    let mut sums = [Vector::<u32, 4>::splat(0); 4];
    let mut rounds = 0u32;
    'all: while rounds < n {
        for i in 0..8 {
            if i == 4 {
                break 'all;
            }
            sums[i] += rounds + i as u32;
        }
        rounds += 1;
    }
    for i in 0..4 {
        output.write(16 * i as u32, &sums[i]);
    }
}

#[test]
fn elements_behind_an_exit_need_not_exist() -> cm::Result<()> {
    for device in &devices(1) {
        let mut output = Buffer::<u32>::new(device, 16)?;
        for n in [0, 3] {
            leaves::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            let sums: Vec<u32> = (0..16).map(|k| if n == 0 { 0 } else { k / 4 }).collect();
            assert_eq!(output.to_vec()?, sums, "{n} {device:?}");
        }
    }
    Ok(())
}
