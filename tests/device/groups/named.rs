//! Named barriers: pipelines of producers and consumers, pairs and halves of groups, against plain code.
//!
//! On Level Zero these kernels are errors on devices without named barriers, among them the simulated ones.

use cm::Error;
use cm::prelude::*;
use cm::spirv::LowerError;
use cm_test_kernels::named_barriers as kernels;
use cm_test_support::devices::devices;
use cm_test_support::groups::interpreted;
use cm_test_support::noise::stream;

fn numbers(len: usize, seed: u32) -> Vec<u32> {
    let mut next = stream(seed);
    (0..len).map(|_| next() >> 9).collect()
}

/// Whether a launch worked. A GPU without named barriers must say so.
fn launched(result: cm::Result<Event>) -> bool {
    match result {
        Ok(_) => true,
        Err(Error::Lower(error @ LowerError::Unsupported { .. })) => {
            let message = error.to_string();
            assert!(message.contains("named barriers on") && message.contains("on the CPU"), "{message}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Launches a kernel on all devices, with race checks, and interprets it: the last buffer must contain `expected`.
macro_rules! check {
    ($kernel:ident, $groups:expr, $local:expr, [$($input:expr)?], $expected:expr $(, $number:expr)?) => {{
        let (groups, local, expected): ([usize; 3], [usize; 3], Vec<u32>) = ($groups, $local, $expected);
        let space = ThreadGroups::new(groups, local).unwrap();
        let mut ran = 0;
        for device in [devices(1), devices(2)].iter().flatten() {
            let device = &device.with_race_checks(true);
            let mut output = Buffer::new(device, expected.len()).unwrap();
            let result = kernels::$kernel::launch(
                device, space, $(&Buffer::from_slice(device, &$input).unwrap(),)? &mut output $(, $number)?
            );
            if launched(result) {
                ran += 1;
                assert_eq!(output.to_vec().unwrap(), expected, "{groups:?} of {local:?} on {device:?}");
            }
        }
        assert!(ran >= 4, "both engines of the CPU, with one and two threads");
        check!(@interpreted $kernel, (groups, local), [$($input)?], expected $(, $number)?);
    }};
    // Arguments by value are in the interpreter's other form.
    (@interpreted $kernel:ident, $space:expr, [$($input:expr)?], $expected:expr) => {{
        let expected: &[u8] = bytemuck::cast_slice(&$expected);
        let before = vec![$(bytemuck::cast_slice(&$input).to_vec(),)? vec![0; expected.len()]];
        let after = interpreted(&kernels::$kernel::ir().unwrap(), $space, before).unwrap();
        assert_eq!(after.last().unwrap(), expected, "interpreted");
    }};
    (@interpreted $kernel:ident, $space:expr, [$($input:expr)?], $expected:expr, $number:expr) => {{
        let expected: &[u8] = bytemuck::cast_slice(&$expected);
        let before = vec![$(bytemuck::cast_slice(&$input).to_vec(),)? vec![0; expected.len()]];
        let number = u32::to_le_bytes($number);
        let after = interpreted_with(&kernels::$kernel::ir().unwrap(), $space, before, number).unwrap();
        assert_eq!(after.last().unwrap(), expected, "interpreted");
    }};
}

use cm_test_support::groups::interpreted_with;

#[test]
fn slots_are_filled_and_emptied_by_turns() {
    for (groups, local, steps) in
        [([1, 1, 1], [2, 1, 1], 1), ([3, 1, 1], [2, 1, 1], 9), ([2, 2, 1], [5, 1, 1], 6)]
    {
        let (count, consumers) = (groups[0] * groups[1], local[0] - 1);
        let input = numbers(count * steps * 4, steps as u32);
        let mut expected = vec![];
        for group in input.chunks(steps * 4) {
            for thread in 1..=consumers as u32 {
                expected.extend(group.iter().map(|x| x * 3 + thread));
            }
        }
        check!(pipeline, groups, local, [input], expected, steps as u32);
    }
}

#[test]
fn pairs_meet_as_often_as_they_like() {
    for rounds in [0, 1, 5] {
        let mut expected = vec![];
        for pair in 0..8u32 {
            let mut numbers = [2 * pair, 2 * pair + 1];
            for _ in 0..rounds + pair {
                numbers = [numbers[1], numbers[0]].map(|x| x * 2 + 1);
            }
            expected.extend(numbers);
        }
        let expected = [&expected[..], &expected[..]].concat();
        check!(pairs, [2, 1, 1], [4, 4, 1], [], expected, rounds);
    }
}

#[test]
fn halves_of_groups_wait_separately() {
    for (groups, local) in [([1, 1, 1], [6, 1, 1]), ([5, 1, 1], [4, 4, 1])] {
        let size: usize = local.iter().product();
        let half = size / 2;
        let input = numbers(groups.iter().product::<usize>() * size, 3);
        let mut expected = vec![];
        for group in input.chunks(size) {
            let sums = [0, 1].map(|which| group[which * half] + group[which * half + 1]);
            expected.extend(group.iter().enumerate().map(|(n, x)| match n % half {
                0 | 1 => sums[0].wrapping_sub(sums[1]),
                _ => sums[n / half] + x,
            }));
        }
        check!(halves, groups, local, [input], expected);
    }
}

/// A thread of a thread space is a group by itself.
#[kernel]
fn alone(output: &mut Buffer<u32>) {
    let barriers = named_barriers::<32>();
    barriers.signal(31, BarrierRole::ProducerConsumer, 1, 1);
    barriers.wait(31);
    output.write(thread_origin_x() * 16, &Vector::<u32, 4>::splat(7));
}

#[test]
fn threads_of_thread_spaces_are_groups() {
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 40).unwrap();
        if launched(alone::launch(device, ThreadSpace::new(10, 1).unwrap(), &mut output)) {
            assert_eq!(output.to_vec().unwrap(), [7; 40]);
        }
    }
}

#[function]
fn meet(barriers: &NamedBarriers<3>, number: u32) {
    barriers.signal(number, BarrierRole::ProducerConsumer, local_size(0), local_size(0));
    barriers.wait(number);
}

/// The number of barriers is a constant of the kernel, and functions take the barriers.
#[kernel]
fn generic<const N: usize>(output: &mut Buffer<u32>) {
    let barriers = named_barriers::<N>();
    for number in 0..N {
        barriers.signal(number, BarrierRole::ProducerConsumer, local_size(0), local_size(0));
        barriers.wait(number);
    }
    barriers.signal(0, BarrierRole::Producer, local_size(0), 0);
    output.write(local_id(0) * 16, &Vector::<u32, 4>::splat(9));
}

#[kernel]
fn in_functions(output: &mut Buffer<u32>) {
    let barriers = named_barriers::<3>();
    meet(&barriers, 2);
    // Beyond the last barrier: the last one.
    meet(&barriers, local_size(0) + 4);
    output.write(local_id(0) * 16, &Vector::<u32, 4>::splat(8));
}

#[test]
fn constants_and_functions_take_barriers() {
    let space = ThreadGroups::new([1, 1, 1], [5, 1, 1]).unwrap();
    for device in &devices(2) {
        let mut output = Buffer::<u32>::new(device, 20).unwrap();
        if launched(generic::<7>::launch(device, space, &mut output)) {
            assert_eq!(output.to_vec().unwrap(), [9; 20]);
            in_functions::launch(device, space, &mut output).unwrap();
            assert_eq!(output.to_vec().unwrap(), [8; 20]);
        }
    }
    let error = generic::<33>::ir().unwrap_err().to_string();
    assert!(error.contains("33 named barriers: a kernel has 1 to 32"), "{error}");
}

/// In plain Rust, there is no group.
#[test]
fn plain_rust_waits_for_nobody() {
    let barriers = named_barriers::<2, cm::dsl::cpu::Cpu>();
    barriers.signal(1, BarrierRole::Consumer, 5, 5);
    barriers.wait(1);
    assert_eq!(format!("{barriers:?}"), "NamedBarriers(2)");
}
