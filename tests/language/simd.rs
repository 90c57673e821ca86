//! SIMD control flow against scalar code that processes one lane at a time, on every device.
#![expect(clippy::needless_range_loop, reason = "written as the kernels are")]

use cm::prelude::*;
use cm_test_kernels::simd as kernels;
use cm_test_support::blocks::{Block, HEIGHT, WIDTH, check};
use cm_test_support::cases::cases;
use cm_test_support::devices::devices;
use proptest::prelude::*;

/// Blocks whose lanes diverge, and blocks whose lanes all take the same path.
fn texels() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), 0..8u8, 70..80u8];
    let block = (any::<u8>(), prop::collection::vec(byte, 64));
    prop::collection::vec(block, 4).prop_map(|blocks| {
        let mut bytes = vec![0; WIDTH * HEIGHT];
        for (n, (mask, block)) in blocks.into_iter().enumerate() {
            for (i, byte) in block.into_iter().enumerate() {
                let byte = if n == 3 { byte & mask & 3 } else { byte };
                bytes[(n / 2 * 4 + i / 16) * WIDTH + n % 2 * 16 + i % 16] = byte;
            }
        }
        bytes
    })
}

/// Places that take operators with variables. Each keeps its elements in the inactive lanes.
#[kernel]
fn places(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<8>(0);
    let mut m = Matrix::<i32, 3, 8>::splat(-7);
    simd_if! { v > 2 => {
        for i in 0..2 {
            let mut sum = Vector::<i32, 8>::splat(8);
            sum += v * i as i32;
            m.row_mut(i).assign(sum >> 1);
        }
        m.row_mut(0).assign(m.row(1) + 1);
        m.row_mut(2).merge(m.row(2) * 2 - v, m.row(0) > m.row(1));
        m.row_mut(1) += m.row(0) - m.row(2);
        m.select_mut::<1, 1, 8, 1>(0, 0).assign(m.select::<1, 1, 8, 1>(1, 0));
    } else {
        let mut low = v;
        low *= 3;
        m.row_mut(2).merge(low + 1, low < -3);
        m.select_mut::<2, 1, 8, 1>(0, 0).row_mut(1).assign(low - 100);
    } }
    output.write_linear(0, &m.format::<i32>());
}

#[test]
fn places_take_operators_with_variables() -> cm::Result<()> {
    let values = [0, 1, 2, 3, 4, 50, -2, -1];
    let row = |of: fn(i32) -> i32| values.map(of);
    let expected = [
        row(|v| if v > 2 { ((8 + v) >> 1) * 2 + 15 + v } else { -7 }),
        row(|v| if v > 2 { ((8 + v) >> 1) * 2 + 15 + v } else { v * 3 - 100 }),
        row(|v| match v {
            3.. => -14 - v,
            -1..=2 => -7,
            _ => v * 3 + 1,
        }),
    ];
    for device in &devices(1) {
        let input = Buffer::from_slice(device, &values)?;
        let mut output = Buffer::<i32>::new(device, 24)?;
        places::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
        assert_eq!(output.to_vec()?, expected.concat(), "{}", device.name());
    }
    Ok(())
}

/// Loops over host numbers and over the elements of arrays, whose iterations the active lanes take.
#[kernel]
fn unrolled(input: &Buffer<i32>, output: &mut Buffer<i32>, limit: i32) {
    let mut v = input.read::<8>(0);
    let mut acc = [Vector::<i32, 8>::splat(0); 4];
    let mut rounds = Vector::<i32, 8>::splat(0);
    const COUNT: usize = 4;
    simd_if! { v > limit => {
        for i in 0..COUNT {
            acc[i] += v * (i as i32);
            acc[COUNT - 1 - i] ^= i as i32 + 7;
            simd_if! { v > limit + i as i32 + 2 => {
                acc[i] -= 1;
            } }
        }
        for n in (1..8).step_by(3) {
            rounds += n + 1;
        }
        for a in &mut acc {
            *a += 3;
        }
        for (i, a) in acc.iter_mut().enumerate().rev() {
            *a ^= i as i32;
        }
    } else {
        for a in acc {
            rounds -= a + 1;
        }
    } }
    simd_while! { v > 0 => {
        for i in 0..=1 {
            acc[i] += 1;
            simd_while! { (v & 7) == i as i32 => {
                v -= 2;
                simd_if! { v < -3 => { break; } }
                v += 1;
            } }
        }
        v -= 9;
    } }
    for i in 0..4 {
        output.write(32 * i as i32, &acc[i]);
    }
    output.write(128, &rounds);
    output.write(160, &v);
}

/// The same for one lane.
fn expected_of_unrolled(mut v: i32, limit: i32) -> [i32; 6] {
    let (mut acc, mut rounds) = ([0; 4], 0);
    if v > limit {
        for i in 0..4 {
            acc[i] += v * i as i32;
            acc[3 - i] ^= i as i32 + 7;
            if v > limit + i as i32 + 2 {
                acc[i] -= 1;
            }
        }
        rounds += 2 + 5 + 8;
        for (i, a) in acc.iter_mut().enumerate() {
            *a = (*a + 3) ^ i as i32;
        }
    } else {
        rounds -= 4;
    }
    while v > 0 {
        for i in 0..2 {
            acc[i] += 1;
            while (v & 7) == i as i32 {
                v -= 2;
                if v < -3 {
                    break;
                }
                v += 1;
            }
        }
        v -= 9;
    }
    [acc[0], acc[1], acc[2], acc[3], rounds, v]
}

#[test]
fn loops_inside_are_unrolled() -> cm::Result<()> {
    for values in [[0, 1, 2, 3, 4, 5, 6, 7], [-3, 40, 9, 17, 8, 16, 1, 0], [-1; 8]] {
        for limit in [-2, 2, 5, 50] {
            let mut expected = [0; 48];
            for (lane, &value) in values.iter().enumerate() {
                for (n, found) in expected_of_unrolled(value, limit).into_iter().enumerate() {
                    expected[8 * n + lane] = found;
                }
            }
            for device in &devices(2) {
                let input = Buffer::from_slice(device, &values)?;
                let mut output = Buffer::<i32>::new(device, 48)?;
                unrolled::launch(device, ThreadSpace::new(1, 1)?, &input, &mut output, limit)?;
                assert_eq!(output.to_vec()?, expected, "{values:?} {limit} {device:?}");
            }
        }
    }
    Ok(())
}

fn branches(mut t: Block, limit: u32) -> Block {
    let a = t[0];
    let mut v = t[1].map(i32::from);
    let first: Vec<usize> = (0..16).filter(|&k| u32::from(a[k]) > limit).collect();
    let second: Vec<usize> = (0..16).filter(|k| !first.contains(k) && v[*k] & 1 != 0).collect();
    let third: Vec<usize> = (0..16).filter(|k| !first.contains(k) && !second.contains(k)).collect();
    for &k in &first {
        v[k] += 7;
        t[2][k] = v[k] as u8;
    }
    for &k in &second {
        v[k] = v[k] * 2 + 1;
        t[2][k] = t[2][k].wrapping_sub(3);
    }
    for &k in &third {
        v[k] = -1;
        if a[k] > 3 {
            t[2][k] = 9;
        }
        if a[k] == 5 {
            v[k] = 100;
        }
    }
    t[1] = v.map(|x| x as u8);
    let rounds = u8::from(!first.is_empty()) + 10 * u8::from(!third.is_empty());
    t[3] = t[3].map(|b| b.wrapping_add(rounds));
    t
}

fn collatz(t: Block, most: u32) -> Block {
    let steps = |byte: u8| {
        let (mut n, mut steps) = (u32::from(byte), 0u32);
        while n > 1 {
            steps += 1;
            if steps > most {
                break;
            }
            if n & 1 != 0 {
                n = n * 3 + 1;
                if n > 5000 {
                    steps = 255;
                    break;
                }
                continue;
            }
            n >>= 1;
        }
        steps as u8
    };
    t.map(|row| row.map(steps))
}

/// All lanes run together, because they are reduced.
fn nested(mut t: Block, count: u32) -> Block {
    let at = |k: usize| (k / 8, k % 8);
    let mut left: Vec<i16> = (0..32).map(|k| t[at(k).0][at(k).1].into()).collect();
    let right: Vec<i16> = (0..32).map(|k| t[at(k).0][8 + at(k).1].into()).collect();
    let mut sum = [0i16; 32];
    let (mut any_large, mut all_large) = (0u8, 0u8);
    for i in 0..count {
        // Compared in the common type of both, which is unsigned.
        let active: Vec<usize> = (0..32).filter(|&k| i32::from(left[k]) as u32 > i).collect();
        if !active.is_empty() {
            let mut inner: Vec<i16> = right.iter().map(|x| x & 15).collect();
            let mut live = active.clone();
            loop {
                live.retain(|&k| inner[k] > 0);
                if live.is_empty() {
                    break;
                }
                live.iter().for_each(|&k| inner[k] -= 3);
                let out: Vec<usize> = live.iter().copied().filter(|&k| sum[k] > 300).collect();
                live.retain(|k| !out.contains(k));
                let round: Vec<usize> = live.iter().copied().filter(|&k| inner[k] & 3 != 2).collect();
                if round.is_empty() {
                    continue;
                }
                round.iter().for_each(|&k| sum[k] += inner[k]);
                any_large = any_large.wrapping_add(round.iter().any(|&k| inner[k] > 9).into());
                all_large = all_large.wrapping_add(round.iter().all(|&k| sum[k] > 20).into());
            }
            active.iter().for_each(|&k| left[k] = left[k].wrapping_sub(right[k]));
        }
        if sum.iter().any(|&x| x > 900) {
            break;
        }
    }
    for k in 0..32 {
        t[at(k).0][at(k).1] = sum[k] as u8;
        t[at(k).0][8 + at(k).1] = left[k] as u8;
    }
    t[0][..2].copy_from_slice(&[any_large, all_large]);
    t
}

fn lanes(mut t: Block, by: i32) -> Block {
    for k in 0..2 {
        let mut x = 1u8;
        if t[0][k] > 100 {
            x += 1;
            x = if by > 3 { x.wrapping_add(t[0][k]) } else { x.wrapping_sub(t[0][k]) };
        }
        t[0][k] = x;
    }
    for x in &mut t[1][4..8] {
        let mut v = i16::from(*x);
        while v > 50 {
            v = (i32::from(v) - (by + 1)) as i16;
        }
        *x = v as u8;
    }
    let mut flag = false;
    for x in t[2..].as_flattened_mut() {
        if *x < 77 {
            *x += 1;
            flag = true;
        } else {
            *x = by as u8;
        }
    }
    if flag {
        t[1][15] = 1;
    }
    t
}

fn reductions(mut t: Block, limit: u32) -> Block {
    let active: Vec<usize> = (0..16).filter(|&k| u32::from(t[0][k]) > limit).collect();
    let mut numbers = [0i32; 16];
    if !active.is_empty() {
        let of = |row: usize| active.iter().map(move |&k| i32::from(t[row][k]));
        let halves = || of(1).map(|x| x as f32 * -0.5);
        numbers[0] = of(0).sum();
        numbers[1] = of(1).min().unwrap() - 128;
        numbers[2] = of(1).max().unwrap() - 128;
        numbers[3] = of(0).min().unwrap();
        numbers[4] = numbers[0].min(255);
        numbers[5] = halves().fold(f32::INFINITY, f32::min) as i32;
        numbers[6] = halves().fold(f32::NEG_INFINITY, f32::max) as i32;
        // Sums of these numbers are exact in every order.
        numbers[7] = halves().sum::<f32>() as i32;
    }
    t[2] = numbers.map(|x| x as u8);
    t[3] = numbers.map(|x| (x >> 8) as u8);
    t
}

fn references(mut t: Block, limit: u32) -> Block {
    for k in 0..16 {
        t[2][k] = match t[1][k] {
            5 => 6,
            x if x > 100 => x,
            _ => t[0][k],
        };
    }
    t[3] = [(1u32..).find(|n| n.is_power_of_two() && *n > limit).unwrap() as u8; 16];
    t
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn lanes_take_one_of_the_arms(bytes in texels(), limit in 0u32..256) {
        check(&bytes, |d, s, i, o| kernels::simd_branches::launch(d, s, i, o, limit), |t| branches(t, limit));
    }

    #[test]
    fn lanes_leave_loops_one_by_one(bytes in texels(), most in 0u32..200) {
        check(&bytes, |d, s, i, o| kernels::simd_collatz::launch(d, s, i, o, most), |t| collatz(t, most));
    }

    #[test]
    fn loops_of_lanes_are_nested_and_reduce(bytes in texels(), count in 0u32..12) {
        check(&bytes, |d, s, i, o| kernels::simd_nested::launch(d, s, i, o, count), |t| nested(t, count));
    }

    #[test]
    fn reductions_are_those_of_the_active_lanes(bytes in texels(), limit in 0u32..256) {
        check(&bytes, |d, s, i, o| kernels::simd_reductions::launch(d, s, i, o, limit), |t| reductions(t, limit));
    }

    #[test]
    fn there_are_2_to_32_lanes(bytes in texels(), by in 0i32..40) {
        check(&bytes, |d, s, i, o| kernels::simd_lanes::launch(d, s, i, o, by), |t| lanes(t, by));
    }

    #[test]
    fn references_stand_for_what_they_refer_to(bytes in texels(), limit in 0u32..256) {
        check(&bytes, |d, s, i, o| kernels::simd_references::launch(d, s, i, o, limit), |t| references(t, limit));
    }

    #[test]
    fn scattered_accesses_leave_inactive_lanes_out(
        values in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..200, Just(155u32)], 32),
        limit in 0u32..100,
    ) {
        let (mut output, mut counts) = (vec![0u32; 32], vec![0u32; 5]);
        for (k, &value) in values.iter().enumerate() {
            let mut v = value;
            while v > limit {
                output[k] = v;
                counts[k & 3] += 1;
                v >>= 1;
                if v == 77 {
                    counts[4] += 77;
                    v = 0;
                }
            }
        }
        for device in devices(4) {
            let input = Buffer::from_slice(&device, &values).unwrap();
            let mut found = Buffer::new(&device, 32).unwrap();
            let mut counted = Buffer::new(&device, 5).unwrap();
            let space = ThreadSpace::new(2, 2).unwrap();
            kernels::simd_scattered::launch(&device, space, &input, &mut found, &mut counted, limit).unwrap();
            prop_assert_eq!(found.to_vec().unwrap(), output.clone(), "{:?}", device);
            prop_assert_eq!(counted.to_vec().unwrap(), counts.clone(), "{:?}", device);
        }
    }

    #[test]
    fn masks_of_accesses_and_active_lanes_meet(
        values in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..200], 8),
        limit in 0u32..100,
    ) {
        let (mut output, mut counts) = (vec![0u32; 24], vec![0u32; 4]);
        for (k, &value) in values.iter().enumerate() {
            if value > limit {
                output[1 + k] = value;
                if k < 4 {
                    output[16 + k] = value;
                }
                counts[k & 3] += value & 1;
            }
        }
        for (k, &value) in values.iter().enumerate() {
            if value <= limit && value & 1 != 0 {
                output[9 + k] = value + 1;
            }
        }
        for device in devices(2) {
            let input = Buffer::from_slice(&device, &values).unwrap();
            let mut found = Buffer::new(&device, 24).unwrap();
            let mut counted = Buffer::new(&device, 4).unwrap();
            let space = ThreadSpace::new(1, 1).unwrap();
            kernels::simd_masked::launch(&device, space, &input, &mut found, &mut counted, limit).unwrap();
            prop_assert_eq!(found.to_vec().unwrap(), output.clone(), "{:?}", device);
            prop_assert_eq!(counted.to_vec().unwrap(), counts.clone(), "{:?}", device);
        }
    }
}
