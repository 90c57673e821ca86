//! Runs a kernel over its groups of threads.
//!
//! A launch cuts the groups, in raster order, into stretches and gives them to rayon. The threads of a thread
//! space, and of kernels that do not show groups, are groups of their own. The threads of a row are a loop inside
//! one function for each instruction set, into which the whole kernel is inlined. The environments whose
//! operations use AVX2 or AVX-512 are types that only these functions can name.
//!
//! On AVX2 and AVX-512 two neighbours run side by side, if groups are single threads without shared memory and
//! barriers, if the kernel has no staged control flow, if the threads are proven to have what they write to
//! themselves, so that their order does not show, and if the columns that it reads depend on the threads'
//! coordinates only, so that they do not wrap between two neighbours. What is left of a row, and every other
//! kernel, runs one by one, by the code for AVX2. Four side by side need more registers than there are.
//!
//! A thread space with dependencies runs wave by wave: the workers share the threads of a wave, and meet before the
//! next one.

use std::ops::Range;
use std::time::{Duration, Instant};

use cm_compiler::ir::{Grid, Line};
use cm_compiler::ops::SyncKind;
use cm_compiler::printf::{Printed as Value, Template};
use cm_dsl::backend::Backend;
#[cfg(target_arch = "x86_64")]
use cm_dsl::cpu::Avx2;
use cm_dsl::cpu::{Cpu, Environment};
use cm_dsl::elem::Elem;
use cm_dsl::kernel::{ArgSource, Kernel};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use smallvec::SmallVec;

use super::argument::{Argument, pieces};
use super::buffer::BufferMemory;
use super::copies::{self, Copies};
use super::group::{self, Needs, Team};
#[cfg(target_arch = "x86_64")]
use super::isa::Avx512;
use super::isa::Isa;
use super::places::Place;
use super::printing::{self, Output};
use super::stack;
use super::surface::SurfaceMemory;
use super::teams::Teams;
use super::thread::{Around, Current, Interrupted, Launch, SIDE_BY_SIDE};
use super::workers::Workers;
use crate::error::{Error, GroupFault, Result};
use crate::event::{Event, OneByOne};
use crate::parts::{Part, parts};
use crate::printf::Printed;
use crate::recording::Recording;
use crate::thread_groups::Threads;

/// Arguments, one after the other.
struct Source<'a> {
    args: std::slice::Iter<'a, Argument<'a>>,
    launch: Launch,
}

impl<E: Executor, const N: usize> ArgSource<Cpu<E, N>> for Source<'_> {
    #[inline(always)]
    fn surface(&mut self) -> SurfaceMemory {
        match self.args.next() {
            Some(Argument::Surface(surface)) => surface.during(self.launch),
            _ => unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel"),
        }
    }

    #[inline(always)]
    fn buffer(&mut self) -> BufferMemory {
        match self.args.next() {
            Some(Argument::Buffer(buffer)) => buffer.during(self.launch),
            _ => unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel"),
        }
    }

    #[inline(always)]
    fn uniform<T: Elem, const R: usize, const C: usize>(&mut self) -> <Cpu<E, N> as Backend>::Reg<T, R, C> {
        let Some(Argument::Uniform(bytes)) = self.args.next() else {
            unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel");
        };
        let mut rows = [[T::default(); C]; R];
        bytemuck::cast_slice_mut(rows.as_flattened_mut()).copy_from_slice(bytes);
        Cpu::<E, N>::constant(rows)
    }
}

/// Kernel threads that one worker thread runs at a stretch, at least: enough to make the switch cheap, few
/// enough to share out.
const STRETCH: usize = 64;

/// The same of a wave: its threads do much, and are few.
const WAVE_STRETCH: usize = 8;

/// Runs kernel `K`, which was recorded, on all threads. Where each group has its part of every written surface and
/// buffer to itself they run on several worker threads, else one after the other. `races` says whether races of the
/// threads of a group are looked for.
pub(crate) fn run<K: Kernel>(
    workers: &Workers,
    recording: &Recording,
    threads: Threads,
    args: &mut [Argument<'_>],
    races: bool,
) -> Result<(Event, Printed)> {
    let isa = Isa::chosen()?;
    let uniform = |n: usize| match args.get(n) {
        Some(Argument::Uniform(bytes)) => Some(*bytes),
        _ => None,
    };
    let (grid, summary) = recording.within(threads, uniform);
    let waves = threads.waves();
    // What is printed is noted by launches, of which those with copies have several.
    let pieces =
        pieces(recording.function(), args, if recording.prints() { 0 } else { copies::largest(grid) });
    let shared = pieces.iter().map(|piece| (piece.param, piece.shared));
    let parts = parts(&summary, grid, waves.as_ref(), shared);
    let one_by_one = parts.as_ref().err().and_then(|&param| {
        let (location, known) = summary.obstacle(param)?;
        Some(OneByOne::new(K::PARAMS[recording.function().shown(param).of].name, location, known))
    });
    if let Some(why) = &one_by_one {
        tracing::info!(kernel = K::NAME, "kernel threads run one after the other: {why}");
    }
    let available = workers.count()?;
    let (groups, least) = match &waves {
        None => (grid.group_count(), STRETCH.div_ceil(grid.group_size())),
        Some(waves) => (waves.widest(), WAVE_STRETCH),
    };
    // No more workers than there are stretches for them.
    let count = if parts.is_ok() { available.min(groups.div_ceil(least)) } else { 1 };
    // Neighbours that run side by side take turns at every operation, and look for their blocks together.
    let pairs = parts.is_ok()
        && grid.group_size() == 1
        && !recording.has_teams(threads)
        && !summary.has_staged_control_flow()
        && summary.reads_known_columns();
    let mut merges = SmallVec::new();
    // One worker alone runs its threads in turn, and may touch everything.
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
    let deep = stack::deep(K::NAME, recording.objects(), available)?;
    let waits = recording.has_barriers(threads) && grid.group_size() > 1;
    let needs = Needs {
        kernel: K::NAME,
        size: grid.group_size(),
        meets: threads.walked.is_none(),
        bytes: recording.function().shared_bytes(),
        stack: waits.then(|| stack::own(recording.objects())),
        races,
    };
    let teams = Teams::new(recording.has_teams(threads).then_some(needs))?;
    let started = now();
    let copies = Copies::new(args, launch, merges);
    let lend = |run: &dyn Fn(Stretch<'_>)| {
        copies.lend(&|launch, args| run(Stretch { isa, pairs, launch, grid, args }));
    };
    let all = || match &waves {
        None => shared_out(count, least, groups, &|groups| {
            lend(&|stretch| {
                if !teams.run(groups.clone(), |team, group| stretch.group::<K>(team, group)) {
                    stretch.run::<K>(groups.clone());
                }
            });
        }),
        Some(waves) => (0..waves.count()).for_each(|wave| {
            for line in waves.lines(wave) {
                shared_out(count, least, line.count as usize, &|threads| {
                    lend(&|stretch| stretch.line::<K>(&teams, line, threads.clone()));
                });
            }
        }),
    };
    match deep {
        Some(pool) => pool.install(all),
        // The calling thread can do it alone.
        None if count == 1 => all(),
        None => workers.install(all),
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
        return Err(Error::Group { kernel: K::NAME, group, fault });
    }
    Ok((Event::new(elapsed, count).one_by_one(one_by_one), output.take()))
}

/// Runs everything up to a number, by so many workers, in stretches of at least `least`.
fn shared_out(workers: usize, least: usize, all: usize, run: &(dyn Fn(Range<usize>) + Sync)) {
    let size = all.div_ceil(workers * 8).max(least);
    if workers == 1 || all <= size {
        return run(0..all);
    }
    (0..all.div_ceil(size)).into_par_iter().for_each(|i| run(i * size..all.min((i + 1) * size)));
}

/// The time, where there is a clock: WebAssembly in a browser has none, and to ask for it would panic.
fn now() -> Option<Instant> {
    let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    has_clock.then(Instant::now)
}

/// How groups are run.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    isa: Isa,
    /// Whether neighbours may run side by side.
    pairs: bool,
    launch: Launch,
    grid: Grid,
    args: &'a [Argument<'a>],
}

impl Stretch<'_> {
    /// Runs some groups, in raster order.
    fn run<K: Kernel>(self, groups: Range<usize>) {
        let _interrupted = Interrupted::new();
        let grid = self.grid;
        if grid.group_size() == 1 {
            let width = grid.groups[0] as usize;
            let mut next = groups.start;
            while next < groups.end {
                let count = (width - next % width).min(groups.end - next);
                let pairs = if self.pairs { count / SIDE_BY_SIDE } else { 0 };
                self.neighbours::<K>(grid.origin(next, 0), count, pairs);
                next += count;
            }
            return;
        }
        let width = grid.local[0] as usize;
        for group in groups {
            for first in (0..grid.group_size()).step_by(width) {
                self.neighbours::<K>(grid.origin(group, first), width, 0);
            }
        }
    }

    /// Runs some threads of a line, one after the other, or as a row.
    fn line<K: Kernel>(self, teams: &Teams, line: Line, threads: Range<usize>) {
        let origin = |n: usize| line.origin(n as u32);
        let group = |[x, y]: [u32; 2]| y as usize * self.grid.groups[0] as usize + x as usize;
        if teams.are_needed() {
            for group in threads.map(|n| group(origin(n))) {
                teams.run(group..group + 1, |team, group| self.group::<K>(team, group));
            }
        } else if line.step == [1, 0] {
            let first = group(origin(threads.start));
            self.run::<K>(first..first + threads.len());
        } else {
            let _interrupted = Interrupted::new();
            for [x, y] in threads.map(origin) {
                self.neighbours::<K>([x, y, 0], 1, 0);
            }
        }
    }

    /// Runs a group whose threads share memory or wait for each other.
    fn group<K: Kernel>(self, team: &Team, group: usize) -> std::result::Result<(), GroupFault> {
        let _interrupted = Interrupted::new();
        let enter = |thread: usize| {
            let [x, y, z] = self.grid.origin(group, thread);
            Around::enter(self.grid, z);
            Current::enter(self.launch, x, y);
        };
        team.run(&enter, &|thread| self.neighbours::<K>(self.grid.origin(group, thread), 1, 0))
    }

    /// Runs `count` neighbours of a row from this one on, the first `pairs` pairs of them side by side.
    fn neighbours<K: Kernel>(self, [x, y, z]: [u32; 3], count: usize, pairs: usize) {
        Around::enter(self.grid, z);
        neighbours::<K>(self.isa, Run { launch: self.launch, x, y, args: self.args }, count, pairs);
    }
}

/// Runs `count` neighbours of a row, the first `pairs` pairs of them side by side.
fn neighbours<K: Kernel>(isa: Isa, run: Run<'_>, count: usize, pairs: usize) {
    let paired = match isa {
        _ if pairs == 0 => 0,
        Isa::Baseline => 0,
        // SAFETY: the CPU has AVX2, as the value proves.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(avx2) => unsafe {
            avx2_pairs::<K>(avx2, run, pairs);
            pairs * SIDE_BY_SIDE
        },
        // SAFETY: the CPU has these extensions, as the value proves.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(avx512) => unsafe {
            avx512_pairs::<K>(avx512, run, pairs);
            pairs * SIDE_BY_SIDE
        },
    };
    if count > paired {
        let rest = Run { x: run.x + paired as u32, ..run };
        match isa {
            Isa::Baseline => baseline::<K>(rest, count - paired),
            // A single thread seldom fills registers of 64 bytes.
            // SAFETY: the CPU has AVX2, as either value proves.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(_) | Isa::Avx512(_) => unsafe { avx2::<K>(rest, count - paired) },
        }
    }
}

/// A kernel thread to run, and those right of it.
#[derive(Clone, Copy)]
struct Run<'a> {
    launch: Launch,
    x: u32,
    y: u32,
    args: &'a [Argument<'a>],
}

/// The environments of kernel threads in the executor.
trait Executor: Environment<Surface = SurfaceMemory, Buffer = BufferMemory> {}

impl<E: Environment<Surface = SurfaceMemory, Buffer = BufferMemory>> Executor for E {}

/// Declares an [`Executor`], whose operations may use what is listed.
macro_rules! executor {
    ($name:ident $(, $item:item)*) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;

        impl Environment for $name {
            type Surface = SurfaceMemory;
            type Buffer = BufferMemory;
            $($item)*

            #[inline(always)]
            fn thread_origin() -> [u32; 2] {
                Current::get().origin()
            }

            fn grid() -> (Grid, u32) {
                Around::get()
            }

            fn shared(bytes: usize) -> BufferMemory {
                BufferMemory::of_group(bytes)
            }

            fn sync(kind: SyncKind, at: Place) {
                group::sync(kind, at);
            }

            fn print(thread: [u32; 2], template: &Template, values: &[Value]) {
                printing::print(Current::thread().0, thread, template, values);
            }
        }
    };
}

executor!(Baseline);

/// The loop; inlined, with the kernel, into one function for each instruction set.
///
/// Each kernel thread has its own arguments: what it does to them is not seen by the next one.
#[inline(always)]
fn side_by_side<K: Kernel, E: Executor, const N: usize>(run: Run<'_>, count: usize) {
    let Run { launch, x, y, args } = run;
    for n in 0..count {
        Current::enter(launch, x + (n * N) as u32, y);
        K::run::<Cpu<E, N>>(&mut Source { args: args.iter(), launch });
    }
}

// One function for each instruction set: what is inlined into it is compiled for that.
#[inline(never)]
fn baseline<K: Kernel>(run: Run<'_>, count: usize) {
    side_by_side::<K, Baseline, 1>(run, count);
}

/// Operations are those of the baseline, so that it has its code in common with `baseline` until that is
/// optimised.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,f16c")]
fn avx2<K: Kernel>(run: Run<'_>, count: usize) {
    // The same operations, compiled for AVX2; those that need its proof are for pairs.
    side_by_side::<K, Baseline, 1>(run, count);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,f16c")]
fn avx2_pairs<K: Kernel>(_: Avx2, run: Run<'_>, pairs: usize) {
    executor!(
        OnAvx2,
        // SAFETY: only this function can name the type, and it is given the proof.
        const AVX2: Option<Avx2> = Some(unsafe { Avx2::new_unchecked() });
    );
    side_by_side::<K, OnAvx2, SIDE_BY_SIDE>(run, pairs);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512_pairs<K: Kernel>(_: Avx512, run: Run<'_>, pairs: usize) {
    executor!(
        OnAvx512,
        // SAFETY: only this function can name the type, and it is given the proof.
        const AVX2: Option<Avx2> = Some(unsafe { Avx2::new_unchecked() });,
        const AVX512: bool = true;
    );
    side_by_side::<K, OnAvx512, SIDE_BY_SIDE>(run, pairs);
}
