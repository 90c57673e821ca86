//! Barriers of newer generations: threads signal and wait separately.

use cm_simulator::dispatch::Stop;
use cm_simulator::eu::{Barriers, Thread};
use cm_simulator::generation::Generation;
use cm_simulator::memory::Block;

use crate::stage::Stage;

/// A signal: the payload contains the barrier, the role, producers and consumers.
const SIGNAL: &str = "(W) send.gtwy (1|M0) null r10 null:0 0x0 0x02000004";

fn payload(barrier: u32, role: u32, producers: u32, consumers: u32) -> Vec<u8> {
    [0, 0, barrier | role << 14 | producers << 16 | consumers << 24].map(u32::to_le_bytes).concat()
}

/// Threads of a group, each with its signal and its code.
fn group(threads: &[([u32; 4], &str)], shared: &Block) -> (Stage, Vec<Thread>) {
    let barriers = Barriers::default();
    let mut stage = Stage::of(Generation::XeHpc);
    stage.shared = Some(shared.clone());
    let mut made = vec![];
    for &([barrier, role, producers, consumers], text) in threads {
        stage = stage.with(10, &payload(barrier, role, producers, consumers));
        made.push(stage.thread(text).with_barriers(barriers.clone()));
    }
    (stage, made)
}

#[test]
fn work_between_signal_and_wait_runs_before_others_come() {
    // Each thread stores a dword of shared memory, signals, and stores another one before it waits.
    let store = |data: u32, address: u32| {
        format!(
            "mov (1|M0) r20.0<1>:ud {address:#x}:ud
             mov (1|M0) r21.0<1>:ud {data:#x}:ud
             (W) send.slm (1|M0) null r20 r21:1 0x0 0x0200d504 {{A@1,$0}}
             sync.allwr null"
        )
    };
    let text = |n: u32| {
        format!(
            "{}\n{SIGNAL}\n{}\n(W) sync.bar null\n{}",
            store(1, n * 64),
            store(2, n * 64 + 4),
            store(3, n * 64 + 8)
        )
    };
    // The store is a block of 16 dwords: only the first one matters.
    let shared = Block::filled(1024, 0);
    let texts = [text(0), text(4), text(8)];
    let all = [0, 0, 3, 3];
    let (stage, mut threads) = group(&[(all, &texts[0]), (all, &texts[1]), (all, &texts[2])], &shared);
    let dwords = |n: usize| [0, 4, 8].map(|at| shared.to_vec()[n * 64 + at]);
    assert_eq!(threads[0].run(&stage, 1000), Stop::Barrier);
    assert_eq!(dwords(0), [1, 2, 0]);
    // Running it again changes nothing, and executes no instruction.
    let instructions = threads[0].instructions();
    assert_eq!(threads[0].run(&stage, 1000), Stop::Barrier);
    assert_eq!(threads[0].instructions(), instructions);
    assert_eq!(threads[1].run(&stage, 1000), Stop::Barrier);
    assert_eq!(threads[2].run(&stage, 1000), Stop::Ended, "the last one does not wait");
    assert_eq!((threads[0].run(&stage, 1000), threads[1].run(&stage, 1000)), (Stop::Ended, Stop::Ended));
    assert_eq!((dwords(0)[2], dwords(4)[2], dwords(8)[2]), (3, 3, 3));
}

#[test]
fn producers_pass_and_consumers_wait_at_their_barrier() {
    let wait = format!("{SIGNAL}\n(W) sync.bar 0x4");
    let shared = Block::filled(64, 0);
    let (stage, mut threads) = group(&[([4, 2, 1, 1], &wait), ([4, 1, 1, 1], SIGNAL)], &shared);
    assert_eq!(threads[0].run(&stage, 1000), Stop::Barrier);
    assert_eq!(threads[1].run(&stage, 1000), Stop::Ended);
    assert_eq!(threads[0].run(&stage, 1000), Stop::Ended);
}

#[test]
fn a_barrier_that_is_used_wrongly_is_a_fault() {
    let shared = Block::filled(64, 0);
    let cases = [
        ([40, 0, 1, 1], SIGNAL, "barrier 40: there are 32 barriers"),
        ([1, 3, 1, 1], SIGNAL, "barrier 1: a thread without a role"),
        ([1, 1, 0, 1], SIGNAL, "barrier 1: more threads come than it has"),
        ([1, 0, 2, 2], "(W) sync.bar 0x1", "barrier 1: a thread waits that has not signalled"),
        ([0, 0, 2, 2], "(W) sync.bar null", "barrier 0: a thread waits that has not signalled"),
    ];
    for (signal, text, expected) in cases {
        let (stage, mut threads) = group(&[(signal, text)], &shared);
        match threads[0].run(&stage, 1000) {
            Stop::Fault(fault) => assert_eq!(fault.why, expected),
            other => panic!("{other:?}: {expected}"),
        }
    }
    // Without barriers of the group, only the barrier of all threads is supported.
    let stage = Stage::of(Generation::XeHpc).with(10, &payload(3, 0, 2, 2));
    assert_eq!(stage.fault(SIGNAL).why, "not supported: a named barrier here");
}
