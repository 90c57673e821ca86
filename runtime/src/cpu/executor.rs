//! Runs a kernel over its groups of threads.
//!
//! A launch divides the groups, in raster order, into stretches. The thread that launches runs stretches, and workers of
//! its rayon pool help (`helpers`); a thread of a pool passes the stretches to its pool. The threads of a thread space, and
//! of kernels that do not use groups, are separate groups. The threads of a row run in one call of the kernel's code
//! (`native`).
//!
//! On AVX2 and AVX-512 two neighbours run together under these conditions: groups are single threads without shared
//! memory and barriers; the kernel has no staged control flow; the threads are proven to write disjoint bytes, so that
//! their order does not affect the result; and the columns that the kernel reads depend only on the threads'
//! coordinates, so that they do not wrap between two neighbours. The rest of a row, and every other kernel, runs one
//! thread at a time, with the code for AVX2. Four threads together need more registers than there are.
//!
//! A thread space with dependencies runs wave by wave: the workers share the threads of a wave, and meet before the
//! next wave.

use std::ops::Range;
use std::time::{Duration, Instant};

use cm_compiler::ir::{Grid, Line, Waves};
use smallvec::SmallVec;

use super::argument::{Argument, pieces};
use super::chosen;
use super::copies::{self, Copies};
use super::engine::{self, Machine, Program};
use super::group::{Needs, Team};
use super::isa::Isa;
use super::native::{Code, Neighbours, Run};
use super::printing::Output;
use super::shares::{self, Shares};
use super::stack;
use super::teams::Teams;
use super::thread::{Current, CurrentIds, Interrupted, Launch, SIDE_BY_SIDE};
use super::workers::Workers;
use crate::engine::CpuEngine;
use crate::error::{Error, GroupFault, Result};
use crate::event::{Event, OneByOne};
use crate::parts::{Part, parts};
use crate::printf::Printed;
use crate::recording::Recording;
use crate::thread_groups::Threads;

/// The code that runs kernel threads.
#[derive(Clone, Copy)]
enum Way {
    Native(Neighbours),
    Recorded(&'static Program),
}

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
    let way = match engine {
        CpuEngine::Native => Way::Native(code.native),
        CpuEngine::Ir => Way::Recorded(engine::program(recording, isa)),
    };
    let uniform = |n: usize| match args.get(n) {
        Some(Argument::Uniform(bytes)) => Some(*bytes),
        _ => None,
    };
    let (grid, summary) = recording.within(threads, uniform);
    let waves = threads.waves();
    // Printed lines are stored by launch, and copies would need several launches.
    let pieces =
        pieces(recording.function(), args, if recording.prints() { 0 } else { copies::largest(grid) });
    let shared = pieces.iter().map(|piece| (piece.param, piece.shared));
    let parts = parts(&summary, grid, waves.as_deref(), shared);
    let one_by_one = parts.as_ref().err().and_then(|&param| {
        let (location, obstacle) = summary.obstacle(param)?;
        Some(OneByOne::new(recording.parameter(param), location, obstacle))
    });
    if let Some(why) = &one_by_one {
        tracing::info!(kernel, "kernel threads run one after the other: {why}");
    }
    let available = workers.count()?;
    let operation = match way {
        Way::Native(_) if code.optimised => shares::COMPILED,
        Way::Native(_) => shares::UNOPTIMISED,
        Way::Recorded(_) => shares::RECORDED,
    };
    let (groups, widest) = (grid.group_count(), waves.as_deref().map(Waves::widest));
    let shares = Shares::new(available, groups, (grid.group_size(), summary.work(), operation), widest);
    let shares = if parts.is_ok() { shares } else { shares.one_by_one() };
    let count = shares.workers;
    // Neighbours that run together alternate at every operation, and look up their blocks together.
    let together = parts.is_ok() && !recording.has_teams(threads);
    let pairs = together
        && grid.group_size() == 1
        && !summary.has_staged_control_flow()
        && summary.reads_known_columns();
    let mut merges = SmallVec::new();
    // A single worker runs its threads one after the other, and may access everything.
    if count > 1 {
        for (piece, part) in pieces.iter().zip(parts.into_iter().flatten()) {
            match part {
                Part::Copy(merge) => merges.push((piece.argument, merge)),
                part => args[piece.argument].divide(piece.place, part),
            }
        }
    }
    let launch = Launch::new();
    let output = Output(launch);
    // Programs do not keep their registers on the stack.
    let (deep, shallow) = match way {
        Way::Recorded(_) => (None, true),
        Way::Native(_) => {
            let objects = recording.objects();
            (stack::deep(kernel, objects, available)?, stack::is_shallow(objects))
        }
    };
    let waits = recording.has_barriers(threads) && grid.group_size() > 1;
    let needs = Needs {
        kernel,
        size: grid.group_size(),
        meets: threads.walked.is_none(),
        bytes: recording.function().shared_bytes(),
        named_barriers: recording.function().named_barriers,
        stack: waits.then(|| stack::own(recording.objects())),
        races,
    };
    let teams = Teams::new(recording.has_teams(threads).then_some(needs))?;
    let started = now();
    let copies = Copies::new(args, launch, merges);
    let lend = |run: &dyn Fn(Stretch<'_>)| {
        copies.lend(&|launch, args| run(Stretch { isa, pairs, way, together, launch, grid, args }));
    };
    let all = |pool: Option<&Workers>| match &waves {
        None => shares.run(groups, pool, &|groups| {
            lend(&|stretch| {
                if !teams.run(groups.clone(), |team, group| stretch.group(team, group)) {
                    stretch.run(groups.clone());
                }
            });
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
        // The calling thread can run everything alone, or begin with it.
        None if count == 1 || outside.is_some() => all(outside),
        None => workers.install(|| all(None)),
    }
    for (argument, merge, copy) in copies.end() {
        if let Argument::Buffer(buffer) = &mut args[argument]
            && let Some(bytes) = buffer.bytes()
        {
            copies::merge(merge, bytes, &copy);
        }
    }
    let elapsed = started.map_or(Duration::ZERO, |started| started.elapsed());
    if let Some((group, fault)) = teams.end()? {
        let group = grid.origin(group, 0);
        let group = std::array::from_fn(|axis| (group[axis] / grid.local[axis]) as usize);
        return Err(Error::Group { kernel, group, fault });
    }
    Ok((Event::new(elapsed, count).one_by_one(one_by_one).by(engine), output.take()))
}

/// The time, if there is a clock: WebAssembly in a browser has none, and asking for the time would panic.
fn now() -> Option<Instant> {
    let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    has_clock.then(Instant::now)
}

/// The execution of groups.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    isa: Isa,
    /// Whether neighbours may run together.
    pairs: bool,
    way: Way,
    /// Whether a program may run several threads at once.
    together: bool,
    launch: Launch,
    grid: Grid,
    args: &'a [Argument<'a>],
}

impl Stretch<'_> {
    /// Runs a range of groups, in raster order.
    fn run(self, groups: Range<usize>) {
        let _interrupted = Interrupted::new();
        let grid = self.grid;
        let native = match self.way {
            Way::Native(native) => native,
            Way::Recorded(program) => {
                let size = grid.group_size();
                let all = groups.len() * size;
                let threads =
                    groups.flat_map(|group| (0..size).map(move |thread| grid.origin(group, thread)));
                return self.program(program, all, threads);
            }
        };
        if grid.group_size() == 1 {
            // One division, and none for each row: those would take as long as the threads of a short row.
            let (width, mut left) = (grid.groups[0] as usize, groups.len());
            let [mut x, mut y, mut z] = grid.origin(groups.start, 0);
            let mut count = width - x as usize;
            while left > 0 {
                count = count.min(left);
                let pairs = if self.pairs { count / SIDE_BY_SIDE } else { 0 };
                self.neighbours(native, [x, y, z], count, pairs);
                left -= count;
                (x, y, z) = if y + 1 < grid.groups[1] { (0, y + 1, z) } else { (0, 0, z + 1) };
                count = width;
            }
            return;
        }
        let width = grid.local[0] as usize;
        for group in groups {
            for first in (0..grid.group_size()).step_by(width) {
                self.neighbours(native, grid.origin(group, first), width, 0);
            }
        }
    }

    /// Runs a range of the threads of these lines.
    fn lines(self, teams: &Teams, lines: &[Line], threads: Range<usize>) {
        let mut start = 0;
        for &line in lines {
            let count = line.count as usize;
            let [first, last] = [threads.start, threads.end].map(|n| n.saturating_sub(start).min(count));
            if first < last {
                self.line(teams, line, first..last);
            }
            start += count;
        }
    }

    /// Runs a range of threads of a line, one after the other or as a row.
    fn line(self, teams: &Teams, line: Line, threads: Range<usize>) {
        let origin = |n: usize| line.origin(n as u32);
        let group = |[x, y]: [u32; 2]| y as usize * self.grid.groups[0] as usize + x as usize;
        if teams.are_needed() {
            for group in threads.map(|n| group(origin(n))) {
                teams.run(group..group + 1, |team, group| self.group(team, group));
            }
        } else if line.step == [1, 0] {
            let first = group(origin(threads.start));
            self.run(first..first + threads.len());
        } else {
            let _interrupted = Interrupted::new();
            let origins = threads.clone().map(origin).map(|[x, y]| [x, y, 0]);
            match self.way {
                Way::Native(native) => origins.for_each(|origin| self.neighbours(native, origin, 1, 0)),
                Way::Recorded(program) => self.program(program, threads.len(), origins),
            }
        }
    }

    /// Runs a group whose threads share memory or wait for each other.
    fn group(self, team: &Team, group: usize) -> std::result::Result<(), GroupFault> {
        let _interrupted = Interrupted::new();
        let enter = |thread: usize| {
            let origin @ [x, y, _] = self.grid.origin(group, thread);
            CurrentIds::enter(self.grid, origin);
            Current::enter(self.launch, x, y);
        };
        team.run(&enter, &|thread| {
            let origin = self.grid.origin(group, thread);
            match self.way {
                Way::Native(native) => self.neighbours(native, origin, 1, 0),
                Way::Recorded(program) => self.program(program, 1, [origin].into_iter()),
            }
        })
    }

    /// Runs a program for `all` threads with these coordinates.
    fn program(self, program: &'static Program, all: usize, origins: impl Iterator<Item = [u32; 3]>) {
        let threads = if self.together { program.side_by_side(all) } else { 1 };
        let mut machine = Machine::new(program, self.args, self.launch, self.grid, threads);
        let mut next = Vec::with_capacity(threads);
        for origin in origins {
            next.push(origin);
            if next.len() == threads {
                machine.run(&next);
                next.clear();
            }
        }
        machine.run(&next);
    }

    /// Runs `count` neighbours of a row from this thread on, the first `pairs` pairs of them together.
    fn neighbours(self, native: Neighbours, origin: [u32; 3], count: usize, pairs: usize) {
        CurrentIds::enter(self.grid, origin);
        let [x, y, _] = origin;
        native(self.isa, Run { launch: self.launch, x, y, args: self.args }, count, pairs);
    }
}
