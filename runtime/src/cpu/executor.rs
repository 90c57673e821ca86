//! Runs a kernel over the thread space.
//!
//! A launch cuts the thread space into stretches of raster order and gives them to rayon. The threads of a
//! row are a loop inside one function for each instruction set, into which the whole kernel is inlined. The
//! environments whose operations use AVX2 or AVX-512 are types that only these functions can name.
//!
//! On AVX2 and AVX-512 two neighbours run side by side, if the kernel has no staged control flow, if the
//! threads are proven to have what they write to themselves, so that their order does not show, and if the
//! columns that it reads depend on the threads' coordinates only, so that they do not wrap between two
//! neighbours. What is left of a row, and every other kernel, runs one by one, by the code for AVX2. Four
//! side by side need more registers than there are.

use std::ops::Range;
use std::time::{Duration, Instant};

use cm_compiler::printf::{Printed as Value, Template};
use cm_dsl::backend::Backend;
#[cfg(target_arch = "x86_64")]
use cm_dsl::cpu::Avx2;
use cm_dsl::cpu::{Cpu, Environment};
use cm_dsl::elem::Elem;
use cm_dsl::kernel::{ArgSource, Kernel};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::buffer::{BufferBorrow, BufferMemory};
#[cfg(target_arch = "x86_64")]
use super::isa::Avx512;
use super::isa::Isa;
use super::printing::{self, Output};
use super::stack;
use super::surface::{SurfaceBorrow, SurfaceMemory};
use super::thread::{Current, Interrupted, Launch, SIDE_BY_SIDE};
use super::workers::Workers;
use crate::error::Result;
use crate::event::Event;
use crate::parts::{Part, Shared, parts};
use crate::printf::Printed;
use crate::recording::Recording;
use crate::thread_space::ThreadSpace;

/// An argument as the CPU takes it.
#[derive(Debug)]
pub(crate) enum Argument<'a> {
    Surface(SurfaceBorrow<'a>),
    Buffer(BufferBorrow<'a>),
    /// The elements of a value, row by row.
    Uniform(&'a [u8]),
}

impl Argument<'_> {
    fn sharing(&self) -> Shared {
        match self {
            Self::Surface(surface) => surface.sharing(),
            Self::Buffer(buffer) => buffer.sharing(),
            Self::Uniform(_) => Shared::Constant,
        }
    }

    fn divide(&mut self, part: Part) {
        match (self, part) {
            (Self::Surface(surface), Part::Surface(footprint)) => surface.divide(footprint),
            (Self::Buffer(buffer), Part::Buffer(segment)) => buffer.divide(segment),
            _ => {}
        }
    }
}

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

/// Kernel threads that one worker thread runs at a stretch: enough to make the switch cheap, few enough to
/// share out.
const STRETCH: usize = 64;

/// Runs kernel `K`, which was recorded, on every thread of the space. Where each thread has its part of every
/// written surface and buffer to itself they run on several worker threads, else one after the other.
pub(crate) fn run<K: Kernel>(
    workers: &Workers,
    recording: &Recording,
    space: ThreadSpace,
    args: &mut [Argument<'_>],
) -> Result<(Event, Printed)> {
    let isa = Isa::chosen()?;
    let threads = space.width() * space.height();
    let summary = recording.summary();
    let parts = parts(summary, space, args.iter().map(Argument::sharing));
    if parts.is_none() {
        tracing::debug!(
            kernel = K::NAME,
            "kernel threads may touch the same bytes; they run one after the other"
        );
    }
    let available = workers.count()?;
    // No more workers than there are stretches for them.
    let count = if parts.is_some() { available.min(threads.div_ceil(STRETCH)) } else { 1 };
    // Neighbours that run side by side take turns at every operation, and look for their blocks together.
    let pairs = parts.is_some() && !summary.has_staged_control_flow() && summary.reads_known_columns();
    // One worker alone runs its threads in turn, and may touch everything.
    if count > 1 {
        for (arg, part) in args.iter_mut().zip(parts.into_iter().flatten()) {
            arg.divide(part);
        }
    }
    let (launch, args) = (Launch::new(), &*args);
    let output = Output(launch);
    let deep = stack::deep(K::NAME, recording.objects(), available)?;
    let started = now();
    let all = || {
        if count == 1 {
            return stretch::<K>(isa, pairs, launch, space, 0..threads, args);
        }
        let size = threads.div_ceil(count * 8).max(STRETCH);
        (0..threads.div_ceil(size)).into_par_iter().for_each(|i| {
            stretch::<K>(isa, pairs, launch, space, i * size..threads.min((i + 1) * size), args);
        });
    };
    match deep {
        Some(pool) => pool.install(all),
        // The calling thread can do it alone.
        None if count == 1 => all(),
        None => workers.install(all),
    }
    let elapsed = started.map_or(Duration::ZERO, |started| started.elapsed());
    Ok((Event::new(elapsed, count), output.take()))
}

/// The time, where there is a clock: WebAssembly in a browser has none, and to ask for it would panic.
fn now() -> Option<Instant> {
    let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
    has_clock.then(Instant::now)
}

/// Runs some threads of the space, in raster order; `pairs` says whether neighbours may run side by side.
fn stretch<K: Kernel>(
    isa: Isa,
    pairs: bool,
    launch: Launch,
    space: ThreadSpace,
    threads: Range<usize>,
    args: &[Argument<'_>],
) {
    let _interrupted = Interrupted::new();
    let width = space.width();
    let mut next = threads.start;
    while next < threads.end {
        let [x, y] = [next % width, next / width];
        let count = (width - x).min(threads.end - next);
        let run = Run { launch, x: x as u32, y: y as u32, args };
        let pairs = if pairs { count / SIDE_BY_SIDE } else { 0 };
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
        next += count;
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
