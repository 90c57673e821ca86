//! `break`, `continue`, `return` and `match`, against scalar code, on every device.
#![expect(clippy::needless_range_loop, clippy::match_overlapping_arm, reason = "written as the kernels are")]

use cm::prelude::*;
use cm_test_kernels::exits as kernels;
use cm_test_support::blocks::{Block, HEIGHT, WIDTH, check, each};
use cm_test_support::cases::cases;
use cm_test_support::devices::devices;
use proptest::prelude::*;

/// Blocks of small and of large bytes, so that every path is taken.
fn texels() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), 0..8u8, Just(255u8), Just(9u8), 190..210u8];
    let block = (any::<u8>(), any::<u8>(), prop::collection::vec(byte, 64));
    prop::collection::vec(block, 4).prop_map(|blocks| {
        let mut bytes = vec![0; WIDTH * HEIGHT];
        for (n, (clear, set, block)) in blocks.into_iter().enumerate() {
            for (i, byte) in block.into_iter().enumerate() {
                // In half of the blocks, all bytes have bits in common.
                let byte = if n % 2 == 0 { byte } else { byte & clear | set & clear >> 1 };
                bytes[(n / 2 * 4 + i / 16) * WIDTH + n % 2 * 16 + i % 16] = byte;
            }
        }
        bytes
    })
}

fn several_exits(mut t: Block, limit: u32) -> Block {
    let (mut sum, mut rounds, mut skipped) = (0u32, 0u32, 0u32);
    while rounds < 40 {
        let at = rounds as usize % 16;
        rounds += 1;
        let row = rounds as usize & 3;
        let element = t[row][at];
        if element < 10 {
            skipped += 1;
            continue;
        }
        sum += u32::from(element);
        if sum > limit {
            break;
        }
        if element == 255 {
            sum += 1000;
            if skipped > 2 {
                break;
            }
            continue;
        }
        t[row] = t[row].map(|b| b.wrapping_add(1));
    }
    t[0][..4].copy_from_slice(&[rounds as u8, skipped as u8, sum as u8, (sum >> 8) as u8]);
    t
}

fn outer_loops(t: Block, count: u32) -> Block {
    let (mut out, mut seen, mut row) = (t, 0u32, 0);
    'rows: loop {
        if row == 4 {
            break;
        }
        row += 1;
        for i in 0..count as usize {
            let element = t[row - 1][i];
            seen += 1;
            if element == 0 {
                continue 'rows;
            }
            if element > 200 {
                out[row - 1] = [seen as u8; 16];
                break 'rows;
            }
            if element > 150 {
                break;
            }
        }
        out[row - 1] = out[row - 1].map(|b| b.wrapping_add(1));
    }
    out[3][15] = seen as u8;
    out
}

fn unrolled_exits(mut t: Block) -> Block {
    for i in 0..4 {
        if t[i][0] < 20 {
            continue;
        }
        if t[i][1] > 128 || i == 2 {
            break;
        }
        t[i] = t[i].map(|b| b.wrapping_add(7));
    }
    for row in &mut t {
        for i in [0, 1, 3, 4] {
            row[i] = row[i].wrapping_add(1);
        }
    }
    t
}

fn halvings(mut n: u32, most: u32) -> u32 {
    for count in 0..most {
        if n == 0 {
            return count;
        }
        if n == 77 {
            return 99;
        }
        n >>= 1;
    }
    most + 100
}

fn choose_number(mut t: Block, threshold: u32) -> Block {
    let first = t[0][0];
    let kind = match first {
        0 => 1,
        1 | 2 | 250..=255 => 2,
        n if u32::from(n) < threshold => i32::from(n) + 3,
        n @ 100..128 => i32::from(n) * 2,
        ..50 => 4,
        _ => 5,
    };
    t[1] = [kind as u8; 16];
    t[2] = t[2].map(|b| b.wrapping_add((kind as i8).signum() as u8));
    t[3] = t[3].map(|b| b.wrapping_add(20));
    t
}

/// `None` if the kernel returns before it writes.
fn interpret_bytes(code: Block) -> Option<Block> {
    let (mut a, mut b, mut at, mut steps) = (1u32, 2u32, 0, 0);
    while steps < 64 {
        steps += 1;
        let op = u32::from(code.as_flattened()[at]);
        at = (at + 1) & 63;
        match op % 8 {
            0 => a = a.wrapping_add(b),
            1 => std::mem::swap(&mut a, &mut b),
            2 if a > 1000 => break,
            3 => {
                b = b.wrapping_add(op);
                continue;
            }
            4 | 5 => at = (at + op as usize) & 63,
            6 => {
                if b > a {
                    return None;
                }
                a -= b;
            }
            _ => b ^= a,
        }
        a &= 0xffff;
    }
    let mut out = code;
    out[0] = [a as u8; 16];
    out[1] = [(a >> 8) as u8; 16];
    out[2] = [b as u8; 16];
    out[3][0] = steps as u8;
    Some(out)
}

fn loop_values(mut t: Block, factor: u32) -> Block {
    let mut n = u32::from(t[0][0]);
    let mut rounds = 0;
    let root = loop {
        if rounds > 20 {
            break rounds + 200;
        }
        rounds += 1;
        n = if n.is_multiple_of(2) {
            n / 2
        } else if n < 100 {
            n * factor + 1
        } else {
            break n;
        };
        if n <= 1 {
            break rounds;
        }
    };
    let picked = if (0..3).any(|i| t[i][2] == 9) { 10 } else { root * 2 };
    for i in 0..(root & 3) as usize {
        let step = match t[i][3] {
            0..=40 => continue,
            200.. => break,
            n => n,
        };
        t[i] = t[i].map(|b| b.wrapping_add(step));
    }
    t[3][..3].copy_from_slice(&[root as u8, picked as u8, rounds as u8]);
    t
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn a_kernel_returns_early(bytes in texels()) {
        check(&bytes, kernels::return_early::launch, |t| match t[0][0] {
            0..64 => t,
            first @ 64..128 => each(t, |b| (255 - b).wrapping_add(first)),
            _ => each(t, |b| 255 - b),
        });
    }

    #[test]
    fn a_loop_has_several_exits(bytes in texels(), limit in 0u32..4000) {
        check(&bytes, |d, s, i, o| kernels::several_exits::launch(d, s, i, o, limit), |t| several_exits(t, limit));
    }

    #[test]
    fn labels_name_outer_loops(bytes in texels(), count in 0u32..=16) {
        check(&bytes, |d, s, i, o| kernels::outer_loops::launch(d, s, i, o, count), |t| outer_loops(t, count));
    }

    #[test]
    fn unrolled_loops_are_left(bytes in texels()) {
        check(&bytes, kernels::unrolled_exits::launch, unrolled_exits);
    }

    #[test]
    fn functions_return_early(bytes in texels(), than in 0u32..256, most in 0u32..10) {
        check(&bytes, |d, s, i, o| kernels::early_functions::launch(d, s, i, o, than, most), |mut t| {
            for row in &mut t {
                let at = row.iter().position(|&b| u32::from(b) > than).unwrap_or(16);
                row[1] = halvings(row[5].into(), most) as u8;
                row[0] = at as u8;
            }
            t
        });
    }

    #[test]
    fn a_match_chooses_by_number(bytes in texels(), threshold in 0u32..256) {
        check(&bytes, |d, s, i, o| kernels::choose_number::launch(d, s, i, o, threshold), |t| choose_number(t, threshold));
    }

    #[test]
    fn arms_of_a_match_leave_loops(bytes in texels()) {
        check(&bytes, kernels::interpret_bytes::launch, |t| interpret_bytes(t).unwrap_or([[0; 16]; 4]));
    }

    #[test]
    fn loops_and_labelled_blocks_have_values(bytes in texels(), factor in 1u32..4) {
        check(&bytes, |d, s, i, o| kernels::loop_values::launch(d, s, i, o, factor), |t| loop_values(t, factor));
    }
}

#[function]
fn least_power(n: u8, limit: u8) -> u8 {
    let mut power: u8 = n;
    loop {
        if power > limit {
            break 1;
        }
        if power > 60 {
            break power;
        }
        power += power;
    }
}

/// Literals with which loops and blocks are left: of the annotated type, of the other values, and alone.
#[kernel]
fn values_of_exits(output: &mut Buffer<i64>, n: u8, m: i64) {
    let annotated: u8 = loop {
        if n > 3 {
            break 200;
        }
        break n;
    };
    let others = loop {
        if m > 3 {
            break 5_000_000_000;
        }
        break m;
    };
    let block: i64 = 'block: {
        if m > 3 {
            break 'block 6_000_000_000;
        }
        loop {
            if n > 3 {
                break 'block -1;
            }
            break;
        }
        7_000_000_000
    };
    let of_block = 'block: {
        if m > 3 {
            break 'block m + m;
        }
        9
    };
    let floats: f32 = loop {
        if n > 3 {
            break if m > 3 { 1 as f32 } else { 0.5 };
        }
        break 0.25;
    };
    let alone = loop {
        if n > 3 {
            break 3;
        }
        break 4;
    };
    let (first, second) = loop {
        if n > 3 {
            break (1, m);
        }
        break (m, 2);
    };
    let power = least_power(n, 100);
    let all = [
        annotated as i64,
        others,
        block,
        of_block,
        (floats * 4.0f32) as i64,
        alone as i64,
        first * 10 + second,
        power as i64,
    ];
    let mut v = Vector::<i64, 8>::splat(0);
    for i in 0..8 {
        v.get_mut(i).assign(all[i]);
    }
    output.write(0, &v);
}

#[test]
fn literals_that_leave_have_the_type_of_the_destination() -> cm::Result<()> {
    let cases: [(u8, i64, [i64; 8]); 3] = [
        (9, 9, [200, 5_000_000_000, 6_000_000_000, 18, 4, 3, 19, 72]),
        (9, 2, [200, 2, -1, 9, 2, 3, 12, 72]),
        (1, 2, [1, 2, 7_000_000_000, 9, 1, 4, 22, 64]),
    ];
    for device in &devices(1) {
        for (n, m, expected) in cases {
            let mut output = Buffer::<i64>::new(device, 8)?;
            values_of_exits::launch(device, ThreadSpace::new(1, 1)?, &mut output, n, m)?;
            assert_eq!(output.to_vec()?, expected, "{n} {m}, {}", device.name());
        }
    }
    Ok(())
}

/// Loops that only `return` leaves, with a `break` of an inner loop.
#[function]
fn left_by_return(n: u32) -> u32 {
    let mut sum: u32 = 0;
    loop {
        for i in 0..4 {
            if i as u32 + n > 3 {
                break;
            }
            sum += 1;
        }
        return sum + n * 10;
    }
}

#[kernel]
fn returns_from_loops(output: &mut Buffer<u32>, n: u32) {
    output.write(0, &Vector::<u32, 4>::splat(left_by_return(n)));
}

#[test]
fn a_break_of_an_inner_loop_does_not_end_the_outer_one() -> cm::Result<()> {
    for device in &devices(1) {
        for (n, expected) in [(0, 4), (1, 13), (3, 31), (7, 70)] {
            let mut output = Buffer::<u32>::new(device, 4)?;
            returns_from_loops::launch(device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, [expected; 4], "{n}, {}", device.name());
        }
    }
    Ok(())
}

const fn tap(n: usize) -> Option<(u32, usize)> {
    match n {
        0 => None,
        n => Some((n as u32 * 10, n)),
    }
}

enum Tap {
    Near(u32),
    Far(u32),
    None,
}

struct Taps {
    n: usize,
}

impl Taps {
    fn get(self) -> Option<u32> {
        tap(self.n).map(|(weight, _)| weight)
    }
}

/// `let .. else`, and arms on host values that leave.
#[kernel]
fn without_a_value<const FIRST: usize>(output: &mut Buffer<u32>, n: u32) {
    let mut sums = Vector::<u32, 8>::splat(1);
    for i in 0..4 {
        let Some((weight, lane)) = tap(i) else { continue };
        sums.get_mut(lane).assign(weight + n);
    }
    let Some(first) = Taps { n: 2 }.get() else { return };
    for tap in [Tap::Near(1), Tap::None, Tap::Far(2)] {
        let (Tap::Near(lane) | Tap::Far(lane)) = tap else { continue };
        sums.get_mut(7).assign(sums.get(7) + lane * first);
    }
    if n > 5 {
        let scale = if let Some((scale, _)) = tap(FIRST) {
            scale
        } else {
            sums.get_mut(5).assign(9);
            output.write(0, &sums);
            return;
        };
        sums.get_mut(4).assign(scale * n);
    }
    let mut scale = match tap(FIRST) {
        Some((scale, _)) => scale + n,
        None => {
            output.write(0, &sums);
            return;
        }
    };
    scale += 1;
    sums.get_mut(6).assign(scale);
    output.write(0, &sums);
}

#[test]
fn arms_on_host_values_leave() -> cm::Result<()> {
    for n in [3, 8] {
        let mut wanted = [1, 10 + n, 20 + n, 30 + n, 1, 1, 1, 61];
        let mut without = wanted;
        if n > 5 {
            wanted[4] = 20 * n;
            without[5] = 9;
        }
        wanted[6] = 20 + n + 1;
        for device in devices(1) {
            let mut output = Buffer::<u32>::new(&device, 8)?;
            without_a_value::<2>::launch(&device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, wanted, "{}", device.name());
            without_a_value::<0>::launch(&device, ThreadSpace::new(1, 1)?, &mut output, n)?;
            assert_eq!(output.to_vec()?, without, "{}", device.name());
        }
    }
    Ok(())
}
