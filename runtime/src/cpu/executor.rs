//! Runs a kernel over its groups of threads.
//!
//! A launch divides the groups, in raster order, into stretches. The thread that launches runs stretches, and workers of
//! its rayon pool help (`helpers`); a thread of a pool passes the stretches to its pool. The threads of a thread space, and
//! of kernels that do not use groups, are separate groups. The threads of a row run in one call of the kernel's code
//! (`native`).
//!
//! Two neighbours run together under these conditions: groups are single threads without shared memory and barriers; all
//! threads of a row take the same way through staged control flow; if there is any, the processor has AVX-512, otherwise
//! at least AVX2; the threads are proven to write disjoint bytes, so that their order does not affect the result; and the
//! columns of the blocks that the kernel reads depend only on the threads' coordinates, so that they do not wrap between
//! two neighbours. The rest of a row, and every other kernel, runs one thread at a time, with the code for AVX2 at most.
//! Four threads together need more registers than there are.
//!
//! A thread space with dependencies runs wave by wave: the workers share the threads of a wave, and meet before the
//! next wave.

use std::time::{Duration, Instant};

use cm_compiler::ir::Line;
use smallvec::SmallVec;

use super::argument::Argument;
use super::chosen;
use super::copies::{self, Copies};
use super::engine;
use super::gather::Gathers;
use super::group::Needs;
use super::isa::Isa;
use super::native::Code;
use super::printing::Output;
use super::proof::Proof;
use super::shares::{self, Shares};
use super::stack::{self, Frame};
use super::stretch::{Stretch, Way};
use super::teams::Teams;
use super::thread::Launch;
use super::turns;
use super::workers::Workers;
use crate::engine::CpuEngine;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::printf::Printed;
use crate::recording::Recording;
use crate::thread_groups::Threads;

/// Runs a recorded kernel on all threads. If each group owns its part of every written surface and buffer, groups run
/// on several worker threads, otherwise one after the other. `races` says whether races between the threads of a group
/// are detected, `engine` which engine runs the kernel, if it is set.
pub(crate) fn run(
    workers: &Workers,
    recording: &'static Recording,
    code: Code,
    threads: Threads<'_>,
    args: &mut [Argument<'_>],
    (races, engine): (bool, Option<CpuEngine>),
) -> Result<(Event, Printed)> {
    let (isa, kernel) = (Isa::chosen()?, recording.name());
    let engine = chosen::engine(engine, code.optimised)?;
    tracing::debug!(kernel, engine = engine.name(), "kernel runs on the CPU");
    let proof = Proof::new(recording, threads, args);
    let one_by_one = proof.obstacle();
    if let Some(why) = &one_by_one {
        tracing::info!(kernel, "kernel threads run one after the other: {why}");
    }
    // The stack of a kernel thread, which host code of the kernel launches from, has no room for another kernel.
    let alone = turns::has_own_stack();
    let available = if alone { 1 } else { workers.count()? };
    let (way, cost) = match engine {
        CpuEngine::Native if code.optimised => (Way::Native(code.native), shares::COMPILED),
        CpuEngine::Native => (Way::Native(code.native), shares::UNOPTIMISED),
        CpuEngine::Ir => (Way::Recorded(engine::program(recording, isa)), shares::RECORDED),
    };
    let (grid, waves, beside) = (proof.grid, proof.waves(), proof.beside());
    let groups = grid.group_count();
    let shares = Shares::new(available, groups, (grid.group_size(), proof.work(), cost), proof.widest_wave());
    let shares = if proof.holds() { shares } else { shares.one_by_one() };
    let count = shares.workers;
    // A single worker runs its threads one after the other, and may access everything.
    let merges = if count > 1 { proof.divide(args) } else { SmallVec::new() };
    args.iter_mut().for_each(|arg| arg.shared_by(grid.threads()));
    let launch = Launch::new();
    let output = Output(launch);
    let frame = Frame { objects: recording.objects(), optimised: code.optimised };
    // Programs do not keep their registers on the stack.
    let (deep, shallow) = match way {
        _ if alone => (None, false),
        Way::Recorded(_) => (None, true),
        Way::Native(_) => (stack::deep(kernel, frame, available)?, stack::is_shallow(frame)),
    };
    let teams = teams(recording, threads, (grid.local, frame), (races, isa))?;
    let started = now();
    let copies = Copies::new(args, launch, merges);
    let lend = |run: &dyn Fn(Stretch<'_>)| {
        copies.lend(&|launch, args| run(Stretch { isa, way, beside, grid, launch, args }));
    };
    let all = |pool: Option<&Workers>| match waves {
        None => shares.run(groups, pool, &|groups| {
            lend(&|stretch| stretch.groups(&teams, groups.clone()));
        }),
        Some(waves) => (0..waves.count()).for_each(|wave| {
            let lines: SmallVec<[Line; 4]> = waves.lines(wave).collect();
            let all = lines.iter().map(|line| line.count as usize).sum();
            shares.run(all, None, &|threads| {
                lend(&|stretch| stretch.lines(&teams, &lines, threads.clone()));
            });
        }),
    };
    // Between waves all workers meet, and a pool's own threads do not sleep.
    let outside = workers.outside().filter(|_| waves.is_none() && shallow);
    match deep {
        Some(pool) => pool.install(|| all(None)),
        // Not in a pool, where the waiting thread would run other work on its stack.
        None if alone => stack::alone(kernel, frame, || all(None))?,
        // The calling thread can run everything alone, or begin with it.
        None if count == 1 || outside.is_some() => all(outside),
        None => workers.install(|| all(None)),
    }
    let ended = copies.end();
    copies::merge(ended, args);
    let elapsed = started.map_or(Duration::ZERO, |started| started.elapsed());
    if let Some((group, fault)) = teams.end()? {
        let group = grid.origin(group, 0);
        let group = std::array::from_fn(|axis| (group[axis] / grid.local[axis]) as usize);
        return Err(Error::Group { kernel, group, fault });
    }
    Ok((Event::new(elapsed, count).one_by_one(one_by_one).by(engine), output.take()))
}

/// The teams of a launch, if its threads share memory or wait for each other.
fn teams(
    recording: &'static Recording,
    threads: Threads<'_>,
    (local, frame): ([u32; 3], Frame),
    (races, isa): (bool, Isa),
) -> Result<Teams> {
    let waits = recording.has_barriers(threads) && local != [1; 3];
    let needs = Needs {
        kernel: recording.name(),
        local,
        meets: threads.walked.is_none(),
        bytes: recording.function().shared_bytes(),
        named_barriers: recording.function().named_barriers,
        stack: waits.then(|| stack::own(frame)),
        races,
        gathers: isa.avx2().map(Gathers::of),
    };
    Teams::new(recording.has_teams(threads).then_some(needs))
}

/// The time, if there is a clock: WebAssembly in a browser has none, and asking for the time would panic.
fn now() -> Option<Instant> {
    let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    has_clock.then(Instant::now)
}
