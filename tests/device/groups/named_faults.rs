//! Wrong use of named barriers: each fault is an error that names the barrier and the line, the same on both engines of
//! the CPU and in the interpreter, and never a deadlock.

use cm::ir::{BarrierFault, NamedBarrierFault as Fault};
use cm::prelude::*;
use cm::{CpuEngine, Error, GroupFault, Race};
use cm_test_support::groups::interpreted_with;

/// The line above this one.
const LINE: u32 = line!() - 1;

/// One fault for each case, by threads of a group of 4.
#[kernel]
fn wrong(case: u32) {
    let barriers = named_barriers::<3>();
    let own = local_id(0);
    if case == 1 {
        // A thread fewer than declared.
        if own < 3 {
            barriers.signal(1, BarrierRole::ProducerConsumer, 4, 4);
            barriers.wait(1);
        }
    }
    if case == 2 {
        // A thread more than declared, before anybody waits.
        barriers.signal(2, BarrierRole::Producer, 3, 1);
    }
    if case == 3 {
        barriers.signal(0, BarrierRole::Producer, 4 + own / 3, 1);
    }
    if case == 4 {
        barriers.signal(0, BarrierRole::Consumer, 1, 9);
        barriers.signal(0, BarrierRole::Consumer, 1, 9);
    }
    if case == 5 {
        barriers.signal(0, BarrierRole::Producer, 4, 1);
        barriers.wait(0);
    }
    if case == 6 {
        barriers.signal(1, BarrierRole::Consumer, 4, 4);
    }
    if case == 7 {
        // Two barriers in another order.
        if own == 0 {
            barriers.signal(0, BarrierRole::ProducerConsumer, 2, 2);
            barriers.wait(0);
            barriers.signal(1, BarrierRole::ProducerConsumer, 2, 2);
            barriers.wait(1);
        }
        if own == 1 {
            barriers.signal(1, BarrierRole::ProducerConsumer, 2, 2);
            barriers.wait(1);
            barriers.signal(0, BarrierRole::ProducerConsumer, 2, 2);
            barriers.wait(0);
        }
    }
}

/// The fault of a case: the same on both engines of the CPU with any number of threads, and in the interpreter.
fn fault(case: u32) -> Fault<cm::ir::Location> {
    let (groups, local) = ([30, 1, 1], [4, 1, 1]);
    let error =
        interpreted_with(&wrong::ir().unwrap(), (groups, local), vec![], case.to_le_bytes()).unwrap_err();
    let cm::interpret::InterpretError::Barrier(expected) = error else { panic!("{error}") };
    for threads in 1..=3 {
        for &engine in CpuEngine::ALL {
            let cpu = Device::cpu_with_threads(threads).unwrap().with_cpu_engine(engine);
            let space = ThreadGroups::new(groups, local).unwrap();
            match wrong::launch(&cpu, space, case).unwrap_err() {
                Error::Group { group: [0, 0, 0], fault: GroupFault::Barrier(found), .. } => {
                    assert_eq!(found, expected, "{threads} {engine:?}");
                }
                error => panic!("{error}"),
            }
            wrong::launch(&cpu, space, 0).unwrap();
        }
    }
    match *expected {
        BarrierFault::Named(fault) => fault,
        other => panic!("{other}"),
    }
}

#[test]
fn every_fault_names_its_barrier_and_its_line() {
    let line = |n: u32| LINE + n;
    let found: Vec<_> = (1..=7).map(fault).collect();
    let role = BarrierRole::Producer;
    for (found, expected) in [
        (
            &found[0],
            matches!(&found[0], Fault::Forever { at, thread: 0, barrier: 1, signalled: [3, 3], expected: [4, 4] }
                if at.line == line(12)),
        ),
        (
            &found[1],
            matches!(&found[1], Fault::TooMany { at, thread: 3, barrier: 2, role: r, expected: [3, 1] }
                if at.line == line(17) && *r == role),
        ),
        (
            &found[2],
            matches!(&found[2], Fault::Counts { at, thread: 3, barrier: 0, found: [5, 1], before, expected: [4, 1] }
                if at.line == line(20) && before.line == line(20)),
        ),
        (
            &found[3],
            matches!(&found[3], Fault::NotWaited { at, thread: 0, barrier: 0, before, .. }
                if at.line == line(24) && before.line == line(23)),
        ),
        (
            &found[4],
            matches!(&found[4], Fault::NotSignalled { at, thread: 0, barrier: 0 } if at.line == line(28)),
        ),
        (
            &found[5],
            matches!(&found[5], Fault::EndsEarly { at, thread: 0, barrier: 1 } if at.line == line(31)),
        ),
        (
            &found[6],
            matches!(&found[6], Fault::Forever { at, thread: 0, barrier: 0, signalled: [1, 1], expected: [2, 2] }
                if at.line == line(37)),
        ),
    ] {
        assert!(expected, "{found:?}");
    }
    let message = found[0].to_string();
    for words in
        ["thread 0 of the group waits forever for named barrier 1", "3 of 4 producers", "named_faults.rs"]
    {
        assert!(message.contains(words), "{message}");
    }
}

/// Waits at a named barrier while the others wait for all threads.
#[kernel]
fn apart(data: u32) {
    let barriers = named_barriers::<1>();
    if data == 0 {
        barriers.signal(0, BarrierRole::ProducerConsumer, local_size(0) + 1, local_size(0) + 1);
        barriers.wait(0);
    }
    barrier();
}

/// A thread of a thread space that counts on others.
#[kernel]
fn lonely() {
    let barriers = named_barriers::<1>();
    barriers.signal(0, BarrierRole::ProducerConsumer, 2, 2);
    barriers.wait(0);
}

#[test]
fn threads_that_wait_for_nobody_are_found() {
    for &engine in CpuEngine::ALL {
        let cpu = Device::cpu().unwrap().with_cpu_engine(engine);
        for local in [[1, 1, 1], [3, 1, 1]] {
            let space = ThreadGroups::new([2, 1, 1], local).unwrap();
            let error = apart::launch(&cpu, space, 0).unwrap_err().to_string();
            assert!(error.contains("waits forever for named barrier 0"), "{error}");
            apart::launch(&cpu, space, 1).unwrap();
        }
        let error = lonely::launch(&cpu, ThreadSpace::new(4, 4).unwrap()).unwrap_err().to_string();
        assert!(error.contains("waits forever for named barrier 0: 1 of 2 producers"), "{error}");
    }
}

/// A producer and a consumer that reads before it waits.
#[kernel]
fn raced(output: &mut Buffer<u32>) {
    let slot = slm::<u32, 4>();
    let barriers = named_barriers::<1>();
    if local_id(0) == 0 {
        slot.write(0, &Vector::<u32, 4>::splat(1));
        barriers.signal(0, BarrierRole::Producer, 1, 1);
    } else {
        barriers.signal(0, BarrierRole::Consumer, 1, 1);
        let early = slot.read::<4>(0);
        barriers.wait(0);
        output.write(0, &early);
    }
}

/// A producer that fills a slot three times. With `free` 1, the consumer says that the slot is free.
#[kernel]
fn handed_over(output: &mut Buffer<u32>, free: u32) {
    let slot = slm::<u32, 4>();
    let barriers = named_barriers::<2>();
    for round in 0u32..3u32 {
        if local_id(0) == 1 {
            slot.write(0, &Vector::<u32, 4>::splat(round));
            barriers.signal(0, BarrierRole::Producer, 1, 1);
            if free == 1 {
                barriers.signal(1, BarrierRole::Consumer, 1, 1);
                barriers.wait(1);
            }
        } else {
            barriers.signal(0, BarrierRole::Consumer, 1, 1);
            barriers.wait(0);
            output.write(0, &slot.read::<4>(0));
            if free == 1 {
                barriers.signal(1, BarrierRole::Producer, 1, 1);
            }
        }
    }
}

#[test]
fn races_of_producers_and_consumers_are_found() {
    for &engine in CpuEngine::ALL {
        let cpu = Device::cpu().unwrap().with_cpu_engine(engine).with_race_checks(true);
        let space = ThreadGroups::new([1, 1, 1], [2, 1, 1]).unwrap();
        let mut output = Buffer::<u32>::new(&cpu, 4).unwrap();
        let error = raced::launch(&cpu, space, &mut output).unwrap_err();
        let Error::Group { fault: GroupFault::Race(race), .. } = error else { panic!("{error}") };
        let Race { thread: 1, other: 0, writes: false, wrote: true, .. } = *race else { panic!("{race}") };
        raced::launch(&cpu.with_race_checks(false), space, &mut output).unwrap();
        handed_over::launch(&cpu, space, &mut output, 1).unwrap();
        assert_eq!(output.to_vec().unwrap(), [2; 4]);
        let error = handed_over::launch(&cpu, space, &mut output, 0).unwrap_err().to_string();
        assert!(error.contains("again, but nothing lets it wait"), "{error}");
    }
}

/// Signals again without knowing whether the consumer has come.
#[kernel]
fn overtaking(output: &mut Buffer<u32>) {
    let barriers = named_barriers::<1>();
    for _round in 0u32..2u32 {
        if local_id(0) == 1 {
            barriers.signal(0, BarrierRole::Producer, 1, 1);
        } else {
            barriers.signal(0, BarrierRole::Consumer, 1, 1);
            barriers.wait(0);
        }
    }
    output.write(0, &Vector::<u32, 4>::splat(1));
}

#[test]
fn producers_that_overtake_consumers_are_found() {
    for &engine in CpuEngine::ALL {
        let cpu = Device::cpu().unwrap().with_cpu_engine(engine);
        let space = ThreadGroups::new([1, 1, 1], [2, 1, 1]).unwrap();
        let mut output = Buffer::<u32>::new(&cpu, 4).unwrap();
        let error = overtaking::launch(&cpu.with_race_checks(true), space, &mut output).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("signals named barrier 0 again, but nothing lets it wait"), "{message}");
    }
}

#[kernel]
fn twice() {
    let _first = named_barriers::<1>();
    let _second = named_barriers::<1>();
}

#[kernel]
fn beside_a_barrier() {
    let _barriers = named_barriers::<32>();
    barrier();
}

#[kernel]
fn missing_barrier() {
    let barriers = named_barriers::<2>();
    let number = 2;
    barriers.wait(number);
}

#[kernel]
fn too_many_threads() {
    named_barriers::<2>().signal(0, BarrierRole::Producer, 129, 1);
}

#[test]
fn recordings_have_limits() {
    for (result, words) in [
        (twice::ir(), "`named_barriers` is called twice"),
        (
            beside_a_barrier::ir(),
            "32 named barriers: a kernel has 1 to 32, or 31 if it also calls `barrier()`",
        ),
        (missing_barrier::ir(), "there is no named barrier 2 in a kernel with 2: take a number below 2"),
        (too_many_threads::ir(), "129 producers or consumers of a named barrier"),
    ] {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("named_faults.rs"), "{error}");
    }
}
