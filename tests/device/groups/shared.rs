//! Shared local memory and barriers: complete algorithms against plain code, and every access in all
//! executions.

use cm::prelude::*;
use cm_test_kernels::thread_groups as kernels;
use cm_test_support::cases::cases;
use cm_test_support::groups::interpreted;
use cm_test_support::noise::small;
use proptest::prelude::*;

use super::{bytes, devices};

/// Launches a kernel with buffers on all devices, and interprets it: the last buffer must contain `expected`.
macro_rules! check {
    ($kernel:ident, $groups:expr, $local:expr, [$($input:expr),*], $expected:expr) => {{
        let expected = $expected;
        let space = ThreadGroups::new($groups, $local).unwrap();
        for device in &devices(2) {
            let mut output = Buffer::new(device, expected.len()).unwrap();
            kernels::$kernel::launch(device, space, $(&Buffer::from_slice(device, &$input).unwrap(),)* &mut output)
                .unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{:?} of {:?} on {device:?}", $groups, $local);
        }
        let expected: &[u8] = bytemuck::cast_slice(&expected);
        let before = vec![$(bytemuck::cast_slice(&$input).to_vec(),)* vec![0; expected.len()]];
        let after = interpreted(&kernels::$kernel::ir().unwrap(), ($groups, $local), before).unwrap();
        assert_eq!(after.last().unwrap(), expected, "interpreted");
    }};
}

fn check_group_sums(groups: [usize; 3], local: [usize; 3], seed: u32) {
    let (count, size): (usize, usize) = (groups.iter().product(), local.iter().product());
    let input: Vec<i32> = small(count * size * 16, seed);
    let expected: Vec<i32> = input.chunks(size * 16).map(|group| group.iter().sum()).collect();
    check!(group_sums, groups, local, [input], expected);
}

fn check_prefix_sums(groups: [usize; 3], local: [usize; 3], seed: u32) {
    let (count, size): (usize, usize) = (groups.iter().product(), local.iter().product());
    let input: Vec<i32> = small(count * size, seed);
    let expected: Vec<i32> = input
        .chunks(size)
        .flat_map(|group| {
            group.iter().scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            })
        })
        .collect();
    check!(prefix_sums, groups, local, [input], expected);
}

fn check_histograms(groups: [usize; 3], local: [usize; 3], seed: u32) {
    let (count, size): (usize, usize) = (groups.iter().product(), local.iter().product());
    let input: Vec<u8> = small(count * size * 64, seed);
    let expected: Vec<u32> = input
        .chunks(size * 64)
        .flat_map(|group| (0..=255).map(|x| group.iter().filter(|y| x == **y).count() as u32))
        .collect();
    check!(histograms, groups, local, [input], expected);
}

fn check_neighbours(groups: [usize; 3], local: [usize; 3], seed: u32) {
    let (count, size): (usize, usize) = (groups.iter().product(), local.iter().product());
    let input: Vec<u32> = small(count * size, seed);
    let expected: Vec<u32> = input
        .chunks(size)
        .flat_map(|group| {
            let mut group = group.to_vec();
            group.rotate_left(1);
            group
        })
        .collect();
    check!(neighbours, groups, local, [input], expected);
}

#[test]
fn tiles_are_transposed() {
    let size = 48;
    let input: Vec<u32> = (0..size * size).map(|n| n as u32 * 7).collect();
    let expected: Vec<u32> = (0..size * size).map(|n| input[n % size * size + n / size]).collect();
    for device in &devices(2) {
        let mut output = Buffer::new(device, expected.len()).unwrap();
        let input = Buffer::from_slice(device, &input).unwrap();
        let space = ThreadGroups::new([3, 3, 1], [16, 1, 1]).unwrap();
        kernels::transpose::launch(device, space, &input, &mut output, size as u32).unwrap();
        assert_eq!(output.to_vec().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn masks_leave_lanes_out() {
    let input: Vec<u32> = small(48, 8);
    let mut expected = vec![];
    for v in input.chunks(16) {
        let mut cells = v.to_vec();
        for (k, &x) in v.iter().enumerate().filter(|(k, x)| **x > 100 && *k < 15) {
            cells[1 + k] = x;
        }
        for (k, x) in v.iter().enumerate().take(8) {
            cells[8 + k] = x + 1;
        }
        cells[0] = 7;
        for (k, x) in v.iter().enumerate() {
            cells[k & 3] += x & 1;
        }
        let mut old = [0; 16];
        for k in (0..16).filter(|k| 0xf0f0 >> k & 1 != 0) {
            old[k] = cells[15 - k];
            cells[15 - k] = cells[15 - k].wrapping_sub(v[k]);
        }
        cells[15] = 0;
        expected.extend(cells.iter().map(|x| x.wrapping_add(11)));
        expected.extend(old);
    }
    check!(masked_accesses, [3, 1, 1], [1, 1, 1], [input], expected);
}

#[test]
fn blocks_of_dwords_stay_inside_their_array() {
    let input: Vec<u32> = (0..100).map(|n| n * 7 + 1).collect();
    // Byte offsets: inside, partly outside, and outside. The lowest bits are ignored.
    for far in [64u32, 194, 200, 320, 1 << 31] {
        let mut cells = input[1..81].to_vec();
        cells[5..13].copy_from_slice(&input[3..11]);
        let first = far as usize / 4;
        let inside = first + 32 <= 80;
        if inside {
            cells[first..][..32].fill(5);
        }
        if let Some(cell) = cells.get_mut((far as usize + 7) / 4) {
            *cell = 6;
        }
        let mut expected = [&cells[16..80], &cells[..16]].concat();
        expected.extend(if inside { cells[first..][..32].to_vec() } else { vec![0; 32] });
        expected.extend([11; 4]);
        for device in &devices(2) {
            let mut output = Buffer::<u32>::new(device, expected.len()).unwrap();
            let input = Buffer::from_slice(device, &input).unwrap();
            let space = ThreadGroups::new([1, 1, 1], [1, 1, 1]).unwrap();
            kernels::shared_blocks::launch(device, space, &input, &mut output, far).unwrap();
            assert_eq!(output.to_vec().unwrap(), expected, "{far} {device:?}");
        }
    }
}

#[test]
fn words_and_floats_are_updated() {
    // All sums are exact, so their order does not matter.
    let input: Vec<u32> = small(32, 9);
    let (mut words, mut sums, mut halves) = ([-3i16; 5], [0.5f32; 3], [3.0f32; 3]);
    for (k, x) in input.iter().enumerate() {
        if let Some(word) = words.get_mut(k % 8) {
            *word += *x as i16;
        }
        if let Some(sum) = sums.get_mut(k % 8 % 4) {
            *sum += *x as f32;
        }
        if let Some(half) = halves.get_mut(k % 8) {
            *half -= *x as f32;
        }
    }
    // The maxima change nothing, because the sums are already larger.
    let mut expected = vec![0; 28];
    for (to, word) in expected.iter_mut().zip(words) {
        *to = i32::from(word) as u32;
    }
    for (to, sum) in expected[8..].iter_mut().zip(sums) {
        *to = sum.to_bits();
    }
    for (to, half) in expected[16..].iter_mut().zip(halves) {
        *to = -half as u32;
    }
    expected[24..].fill(77);
    check!(shared_atomics, [1, 1, 1], [4, 1, 1], [input], expected);
}

#[test]
fn groups_share_memory() {
    check_group_sums([5, 2, 1], [8, 4, 1], 3);
    check_group_sums([1, 1, 1], [1, 1, 1], 4);
    check_prefix_sums([7, 1, 3], [5, 3, 2], 5);
    check_histograms([3, 1, 1], [7, 1, 1], 6);
    check_neighbours([9, 1, 1], [32, 1, 1], 7);
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn groups_of_random_sizes_share_memory(
        groups in [1usize..5, 1usize..4, 1usize..3],
        local in [1usize..9, 1usize..4, 1usize..3],
        halves in [0usize..4, 0usize..2, 0usize..2],
        seed: u32,
    ) {
        check_group_sums(groups, halves.map(|power| 1 << power), seed);
        check_prefix_sums(groups, local, seed);
        check_histograms(groups, local, seed);
        check_neighbours(groups, local, seed);
    }
}

/// The expected output of `accesses`.
fn accessed(own: u32, size: u32, far: u32) -> Vec<u32> {
    let ramp: Vec<u32> = (0..16).map(|n| n * 3).collect();
    let bytes: Vec<u8> = ramp.iter().flat_map(|x| x.to_le_bytes()).collect();
    let words = [-7i16; 20];
    let dwords: Vec<u32> = ramp.iter().copied().chain([9; 8]).collect();
    let word = |n: u32| words.get(n as usize).map_or(0, |x| *x as i32 as u32);
    let dword = |n: u32| dwords.get(n as usize).copied().unwrap_or(0);
    // A block that is partly out of bounds reads as 0.
    let block = |first: u32, count: u32| {
        let inside = first + count <= 24;
        (0..count).map(move |n| if inside { dword(first + n) } else { 0 })
    };
    let mut found: Vec<u32> = bytes[16..32].iter().map(|x| u32::from(*x)).collect();
    found.extend((8..16).map(word));
    found.extend(block(own + 1, 8));
    found.extend((far..far + 4).map(word));
    found.extend([bytes[62].into(), bytes[63].into(), 0, 0]);
    // Oword blocks start at whole owords.
    found.extend(block(far / 4 * 4, 8).take(4));
    found.extend(block(far + 1, 8));
    found.extend([bytes[62].into(), 6]);
    found.extend((16..20).map(|n| if (far..far + 4).contains(&n) { 5 } else { word(n) }));
    found.extend([0xabcd; 4]);
    found.extend([0xabcd + 2 * size, 0xabcd]);
    found
}

#[test]
fn accesses_stay_inside_their_array() -> cm::Result<()> {
    let (groups, local) = ([3, 1, 1], [4, 2, 1]);
    let input: Vec<u32> = (0..16).map(|n| n * 3).chain(0..4).collect();
    for far in [4, 12, 15, 16, 17, 18, 19, 20, 24, 100, 1 << 20] {
        let expected: Vec<u32> = (0..24).flat_map(|n| accessed(n % 8, 8, far)).collect();
        assert_eq!(expected.len(), 24 * 64);
        for device in &devices(2) {
            let mut output = Buffer::<u32>::new(device, expected.len())?;
            let input = Buffer::from_slice(device, &input)?;
            kernels::accesses::launch(device, ThreadGroups::new(groups, local)?, &input, &mut output, far)?;
            let found = output.to_vec()?;
            for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "number {} of thread {}, far {far}, {device:?}", n % 64, n / 64);
            }
        }
    }
    Ok(())
}

/// A matrix is one block.
#[kernel]
fn matrix_in_shared(output: &mut Buffer<u8>, at: i32) {
    let shared = slm::<u8, 64>();
    shared.write(thread_origin_x() * 16, &Vector::<u8, 16>::splat(1));
    barrier();
    if thread_origin_x() == 0 {
        shared.write(at, &Matrix::<u8, 2, 16>::splat(7));
        shared.store(at + 32, &Matrix::<u8, 2, 4>::splat(9));
    }
    barrier();
    output.write(0, &shared.read::<64>(0));
}

#[test]
fn a_matrix_that_is_partly_outside_its_array_is_not_written() -> cm::Result<()> {
    for at in [-48, -32, -16, 0, 16, 32, 48, 64] {
        let mut expected = [1; 64];
        for (first, bytes, value) in [(at, 32, 7), (at + 32, 8, 9)] {
            let rows = usize::try_from(first).ok().and_then(|first| expected.get_mut(first..first + bytes));
            rows.into_iter().for_each(|rows| rows.fill(value));
        }
        for device in &devices(2) {
            let mut output = Buffer::<u8>::new(device, 64)?;
            matrix_in_shared::launch(device, ThreadGroups::new([1, 1, 1], [4, 1, 1])?, &mut output, at)?;
            assert_eq!(output.to_vec()?, expected, "{at} on {device:?}");
        }
    }
    Ok(())
}

#[test]
fn helpers_take_shared_memory() -> cm::Result<()> {
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 256)?;
        kernels::with_helper::launch(device, ThreadGroups::new([2, 1, 1], [16, 1, 1])?, &mut output)?;
        let expected: Vec<u32> = (0..32).flat_map(|n| [n % 16 * 2; 8]).collect();
        assert_eq!(output.to_vec()?, expected, "{device:?}");
    }
    Ok(())
}

/// Groups with barriers run on all cores if they write disjoint bytes.
#[test]
fn groups_with_barriers_run_on_all_cores() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?;
    let input = Buffer::from_slice(&cpu, &small::<u8>(100 * 8 * 64, 1))?;
    let mut output = Buffer::<u32>::new(&cpu, 100 * 256)?;
    // The write position in this kernel depends on a loop, so its groups run in order.
    let event =
        kernels::histograms::launch(&cpu, ThreadGroups::new([100, 1, 1], [8, 1, 1])?, &input, &mut output)?;
    assert_eq!(event.workers(), 1);
    let mut output = Buffer::<u32>::new(&cpu, 1000 * 16 * 8)?;
    let event =
        kernels::with_helper::launch(&cpu, ThreadGroups::new([1000, 1, 1], [16, 1, 1])?, &mut output)?;
    assert_eq!(event.workers(), 2);
    assert_eq!(bytes(&output)?[..4], [0; 4]);
    let size = 16 * 40;
    let input = Buffer::from_slice(&cpu, &small::<u32>(size * size, 2))?;
    let mut output = Buffer::<u32>::new(&cpu, size * size)?;
    let space = ThreadGroups::new([40, 40, 1], [16, 1, 1])?;
    let event = kernels::transpose::launch(&cpu, space, &input, &mut output, size as u32)?;
    assert_eq!(event.workers(), 2, "the pitch is an argument of the launch");
    Ok(())
}
