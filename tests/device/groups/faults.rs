//! Faults of the threads of a group: each is an error with its line, on the CPU and in the interpreter, and
//! never a deadlock.

use std::sync::atomic::{AtomicBool, Ordering};

use cm::CpuEngine;
use cm::ir::BarrierFault;
use cm::prelude::*;
use cm::{Error, GroupFault, Race};
use cm_test_support::groups::interpreted;

/// The line number of the `n`th line below it.
macro_rules! line_below {
    ($n:literal) => {
        line!() + $n
    };
}

const WRITE: u32 = line_below!(7);
const READ: u32 = line_below!(8);

/// Reads the data that the neighbour writes, without a barrier.
#[kernel]
fn late(output: &mut Buffer<u32>) {
    let shared = slm::<u32, 8>();
    shared.write(local_id(0) * 16, &Vector::<u32, 4>::splat(1));
    fence();
    output.write(local_id(0) * 16, &shared.read::<4>((1 - local_id(0)) * 16));
}

/// Counts without and with atomic operations.
#[kernel]
pub(super) fn counted(output: &mut Buffer<u32>, atomic: u32) {
    let (shared, first) = (slm::<u32, 1>(), Vector::<u32, 1>::splat(0));
    if atomic > 0 {
        shared.write_atomic(atomic::Inc, &first);
    } else {
        shared.write_scattered(0, &first, &(shared.read_scattered(0, &first) + 1));
    }
    barrier();
    output.write_scattered(linear_global_id(), &first, &shared.read_scattered(0, &first));
}

fn fault(result: cm::Result<Event>) -> ([usize; 3], GroupFault) {
    match result.unwrap_err() {
        Error::Group { group, fault, .. } => (group, fault),
        error => panic!("{error}"),
    }
}

#[test]
fn races_name_both_lines() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?;
    let space = ThreadGroups::new([40, 1, 1], [2, 1, 1])?;
    let mut output = Buffer::<u32>::new(&cpu, 8)?;
    let (group, found) = fault(late::launch(&cpu.with_race_checks(true), space, &mut output));
    let GroupFault::Race(race) = &found else { panic!("{found:?}") };
    // Thread 0 runs first, so the write of thread 1 comes after the read.
    let Race { at, thread: 1, writes: true, byte: 16, before, other: 0, wrote: false, .. } = &**race else {
        panic!("{found:?}");
    };
    assert_eq!((group, at.line, before.line), ([0; 3], WRITE, READ));
    let message = found.to_string();
    assert!(at.file.ends_with("faults.rs") && message.contains("`barrier()`"), "{message}");
    assert!(message.contains("thread 1 of the group writes byte 16"), "{message}");
    assert!(message.contains("which thread 0 read at"), "{message}");
    late::launch(&cpu.with_race_checks(false), space, &mut output)?;
    Ok(())
}

#[test]
fn atomic_operations_are_no_races() -> cm::Result<()> {
    let cpu = Device::cpu()?.with_race_checks(true);
    let space = ThreadGroups::new([3, 1, 1], [16, 1, 1])?;
    let mut output = Buffer::<u32>::new(&cpu, 48)?;
    counted::launch(&cpu, space, &mut output, 1)?;
    assert_eq!(output.to_vec()?, [16; 48]);
    let (_, found) = fault(counted::launch(&cpu, space, &mut output, 0));
    assert!(matches!(&found, GroupFault::Race(race) if [race.thread, race.other] == [1, 0]), "{found}");
    // Groups of one thread do not race.
    counted::launch(&cpu, ThreadSpace::new(8, 6)?, &mut output, 0)?;
    assert_eq!(output.to_vec()?, [1; 48]);
    Ok(())
}

/// Thread 0 sets the number that all threads then change.
#[kernel]
fn set_by_one(output: &mut Buffer<u32>, waits: u32) {
    let (shared, first) = (slm::<u32, 1>(), Vector::<u32, 1>::splat(0));
    if local_id(0) == 0 {
        shared.write_scattered(0, &first, &Vector::<u32, 1>::splat(5));
    }
    if waits > 0 {
        barrier();
    }
    shared.write_atomic(atomic::Inc, &first);
    barrier();
    output.write_scattered(linear_global_id(), &first, &shared.read_scattered(0, &first));
}

/// Its own atomic operation does not hide what a thread wrote before.
#[test]
fn numbers_are_set_before_they_are_changed() -> cm::Result<()> {
    let cpu = Device::cpu()?.with_race_checks(true);
    let space = ThreadGroups::new([2, 1, 1], [4, 1, 1])?;
    let mut output = Buffer::<u32>::new(&cpu, 8)?;
    set_by_one::launch(&cpu, space, &mut output, 1)?;
    assert_eq!(output.to_vec()?, [9; 8]);
    let (_, found) = fault(set_by_one::launch(&cpu, space, &mut output, 0));
    let of_both = |race: &Race| race.wrote && [race.thread, race.other] == [1, 0];
    assert!(matches!(&found, GroupFault::Race(race) if of_both(race)), "{found}");
    Ok(())
}

const FIRST: u32 = line_below!(7);
const SECOND: u32 = line_below!(8);

/// Waits at one of two places, depending on the data.
#[kernel]
fn apart(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    if input.read_scattered(linear_global_id(), &Vector::<u32, 1>::splat(0)).get(0) > 5 {
        barrier();
    } else {
        barrier();
    }
    output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(1));
}

const BEHIND: u32 = line_below!(9);

/// Ends before the barrier, depending on the data.
#[kernel]
fn ended(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    if input.read_scattered(linear_global_id(), &Vector::<u32, 1>::splat(0)).get(0) > 5 {
        return;
    }
    output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(1));
    barrier();
}

/// A fault of barriers, which must be the same on the CPU and in the interpreter.
macro_rules! barrier_fault {
    ($kernel:ident, $data:expr, $group:expr) => {{
        let (groups, local) = ([40, 1, 1], [4, 1, 1]);
        let data: Vec<u32> = $data;
        for threads in 1..=2 {
            let cpu = Device::cpu_with_threads(threads).unwrap();
            let input = Buffer::from_slice(&cpu, &data).unwrap();
            let mut output = Buffer::<u32>::new(&cpu, 160 * 4).unwrap();
            let space = ThreadGroups::new(groups, local).unwrap();
            let (group, found) = fault($kernel::launch(&cpu, space, &input, &mut output));
            assert_eq!(group, $group, "{found}");
            let GroupFault::Barrier(found) = found else { panic!("{found}") };
            // With other data, the kernel works.
            let input = Buffer::from_slice(&cpu, &[0u32; 160]).unwrap();
            $kernel::launch(&cpu, space, &input, &mut output).unwrap();
            assert_eq!(output.to_vec().unwrap(), [1; 640]);
            if threads == 2 {
                let before = vec![bytemuck::cast_slice(&data).to_vec(), vec![0; 2560]];
                let error = interpreted(&$kernel::ir().unwrap(), (groups, local), before).unwrap_err();
                assert_eq!(error, cm::interpret::InterpretError::Barrier(found));
                break;
            }
        }
        let cpu = Device::cpu().unwrap();
        let input = Buffer::from_slice(&cpu, &data).unwrap();
        let mut output = Buffer::<u32>::new(&cpu, 640).unwrap();
        let space = ThreadGroups::new(groups, local).unwrap();
        let (_, found) = fault($kernel::launch(&cpu, space, &input, &mut output));
        let GroupFault::Barrier(found) = found else { panic!("{found}") };
        *found
    }};
}

/// Data with larger numbers at these positions.
fn data(at: &[usize]) -> Vec<u32> {
    (0..160).map(|n| if at.contains(&n) { 9 } else { 0 }).collect()
}

#[test]
fn threads_that_wait_elsewhere_are_found() {
    // Thread 2 of group 7, and a thread of a group that is not reached.
    let found = barrier_fault!(apart, data(&[30, 101]), [7, 0, 0]);
    let BarrierFault::Elsewhere { at, thread: 0, other: 2, elsewhere } = &found else { panic!("{found}") };
    assert_eq!((at.line, elsewhere.line), (SECOND, FIRST), "{found}");
    assert!(found.to_string().contains("thread 2 waits at"), "{found}");
}

#[test]
fn threads_that_ended_are_found() {
    let found = barrier_fault!(ended, data(&[157]), [39, 0, 0]);
    let BarrierFault::Ended { at, thread: 0, other: 1 } = &found else { panic!("{found}") };
    assert_eq!(at.line, BEHIND, "{found}");
    assert!(found.to_string().contains("thread 1 has ended"), "{found}");
}

/// The halves of a barrier, in an order that depends on the argument.
#[kernel]
fn halves(order: u32) {
    if order != 0 {
        signal();
    }
    if order == 1 {
        signal();
    }
    if order == 2 {
        barrier();
    }
    if order != 3 {
        wait();
    }
}

#[test]
fn halves_of_barriers_alternate() -> cm::Result<()> {
    let cpu = Device::cpu()?;
    for space in [ThreadGroups::new([2, 1, 1], [3, 1, 1])?, ThreadGroups::new([2, 1, 1], [1, 1, 1])?] {
        for (order, words) in [
            (0, "`wait()` without a `signal()`"),
            (1, "a second `signal()`"),
            (2, "or a `barrier()` after the `signal()`"),
            (3, "ends after `signal()` without a `wait()`"),
        ] {
            let error = halves::launch(&cpu, space, order).unwrap_err().to_string();
            assert!(error.contains("kernel `halves`, group [0, 0, 0]") && error.contains(words), "{error}");
        }
        halves::launch(&cpu, space, 4)?;
    }
    Ok(())
}

static PANICS: AtomicBool = AtomicBool::new(false);

/// Host code that panics on demand.
fn panics() {
    assert!(!PANICS.load(Ordering::SeqCst), "host code");
}

#[kernel]
fn panicking(output: &mut Buffer<u32>) {
    barrier();
    panics();
    barrier();
    output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(3));
}

/// A panic of host code ends the launch, whatever the other threads of the group are doing.
#[test]
fn panics_leave_nothing_behind() -> cm::Result<()> {
    let cpu = Device::cpu_with_threads(2)?.with_cpu_engine(CpuEngine::Native);
    let space = ThreadGroups::new([50, 1, 1], [8, 1, 1])?;
    let mut output = Buffer::<u32>::new(&cpu, 1600)?;
    panicking::launch(&cpu, space, &mut output)?;
    PANICS.store(true, Ordering::SeqCst);
    let launched = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        panicking::launch(&cpu, space, &mut output)
    }));
    assert!(launched.is_err());
    PANICS.store(false, Ordering::SeqCst);
    panicking::launch(&cpu, space, &mut output)?;
    assert_eq!(output.to_vec()?, [3; 1600]);
    Ok(())
}

#[kernel]
fn some_threads(output: &mut Buffer<u32>) {
    if local_id(0) < 3 {
        barrier();
    }
    output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(1));
}

#[kernel]
fn threads_that_left() {
    for i in 0..thread_origin_x() + 4 {
        barrier();
        if i == 2 {
            break;
        }
    }
}

#[kernel]
fn under_a_condition(output: &mut Buffer<u32>) {
    if group_id(0) > 0 {
        let shared = slm::<u32, 4>();
        output.write(0, &shared.read::<4>(0));
    }
}

#[kernel]
fn too_large(output: &mut Buffer<u32>) {
    let (first, second) = (slm::<u8, 65_000>(), slm::<u64, 70>());
    output.write(0, &first.read::<16>(0).format::<u32>());
    output.write(16, &second.read::<2>(0).format::<u32>());
}

#[kernel]
fn empty(output: &mut Buffer<u32>) {
    output.write(0, &slm::<u32, 0>().read::<4>(0));
}

#[kernel]
fn part_of_an_element(output: &mut Buffer<u32>) {
    let cells = slm::<u16, 3>();
    output.write_scattered(
        0,
        &Vector::<u32, 1>::splat(0),
        &cells.format::<u32>().read_scattered(0, &Vector::<u32, 1>::splat(0)),
    );
}

#[test]
fn recordings_have_limits() {
    for (result, words) in [
        (some_threads::ir(), "a barrier that not all threads of a group come to"),
        (threads_that_left::ir(), "depends on the thread"),
        (under_a_condition::ir(), "shared local memory under a staged condition"),
        (too_large::ir(), "65568 bytes of shared local memory: a group of threads has 65536"),
        (empty::ir(), "without elements"),
        (part_of_an_element::ir(), "an array of 6 bytes of shared local memory as elements of 4 bytes"),
    ] {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("faults.rs"), "{error}");
    }
}

/// In plain Rust, there is no group.
#[test]
#[should_panic(expected = "call `slm` in a kernel")]
fn plain_rust_has_no_shared_memory() {
    let _ = slm::<u32, 4, cm::dsl::cpu::Cpu>();
}

#[test]
fn plain_rust_waits_for_nobody() {
    barrier::<cm::dsl::cpu::Cpu>();
    signal::<cm::dsl::cpu::Cpu>();
    wait::<cm::dsl::cpu::Cpu>();
    fence::<cm::dsl::cpu::Cpu>();
    assert_eq!(linear_global_size::<cm::dsl::cpu::Cpu>().value(), 1);
}
