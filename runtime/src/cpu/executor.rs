//! The thread space over the worker threads.

use std::ops::Range;
use std::time::Instant;

use cm_dsl::backend::Backend;
use cm_dsl::cpu::Cpu;
use cm_dsl::elem::Elem;
use cm_dsl::kernel::{ArgSource, Kernel};
use cm_dsl::plan::Outline;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::isa::Isa;
use super::memory::{Executor, Interrupted, Launch, SurfaceMemory};
use super::workers::Workers;
use crate::launch::claims;
use crate::{Arg, Error, Event, Result, ThreadSpace, Uniform};

/// An argument as kernel threads take it.
enum Bound<'a> {
    Surface(SurfaceMemory),
    Uniform(&'a Uniform),
}

/// Arguments, one after the other.
struct Source<'a> {
    args: std::slice::Iter<'a, Bound<'a>>,
}

impl ArgSource<Cpu<Executor>> for Source<'_> {
    fn surface(&mut self) -> SurfaceMemory {
        match self.args.next() {
            Some(Bound::Surface(memory)) => *memory,
            _ => unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel"),
        }
    }

    fn uniform<T: Elem, const R: usize, const C: usize>(
        &mut self,
    ) -> <Cpu<Executor> as Backend>::Reg<T, R, C> {
        let Some(Bound::Uniform(uniform)) = self.args.next() else {
            unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel");
        };
        let mut rows = [[T::default(); C]; R];
        bytemuck::cast_slice_mut(rows.as_flattened_mut()).copy_from_slice(uniform.bytes());
        rows
    }
}

/// Kernel threads that one worker thread runs at a stretch: enough to make the switch cheap, few enough to share out.
const STRETCH: usize = 64;

/// Runs kernel `K` on every thread of the space. Where each thread has its part of every written surface to itself
/// they run on several worker threads, else one after the other.
pub(crate) fn run<K: Kernel>(
    workers: &Workers,
    space: ThreadSpace,
    args: &mut [Arg<'_>],
    outline: &Outline,
) -> Result<Event> {
    let threads = space.width() * space.height();
    let claims = claims(outline, space, args);
    if claims.is_none() {
        tracing::debug!(
            kernel = K::NAME,
            "kernel threads may touch the same bytes; they run one after the other"
        );
    }
    let count = if claims.is_some() { workers.count().min(threads.div_ceil(STRETCH)) } else { 1 };
    let claim = |i: usize| claims.as_ref().filter(|_| count > 1).and_then(|claims| claims[i]);
    let launch = Launch::new();
    let bound: Vec<Bound<'_>> = args
        .iter_mut()
        .enumerate()
        .map(|(i, arg)| {
            let surface = match arg {
                Arg::Read(surface) => SurfaceMemory::read(surface, launch),
                Arg::Write(surface) => SurfaceMemory::write(surface, claim(i), launch),
                Arg::Uniform(uniform) => return Ok(Bound::Uniform(uniform)),
            };
            let argument = K::PARAMS[i].name;
            surface.map(Bound::Surface).ok_or(Error::OtherDevice { kernel: K::NAME, argument })
        })
        .collect::<Result<_>>()?;
    let isa = Isa::detected();
    let started = Instant::now();
    if count == 1 {
        stretch::<K>(isa, launch, space, 0..threads, &bound);
    } else {
        let size = threads.div_ceil(count * 8).max(STRETCH);
        workers.install(|| {
            (0..threads.div_ceil(size)).into_par_iter().for_each(|i| {
                stretch::<K>(isa, launch, space, i * size..threads.min((i + 1) * size), &bound);
            });
        });
    }
    Ok(Event::new(started.elapsed(), count))
}

/// Runs some threads of the space, in raster order.
fn stretch<K: Kernel>(
    isa: Isa,
    launch: Launch,
    space: ThreadSpace,
    threads: Range<usize>,
    args: &[Bound<'_>],
) {
    let _interrupted = Interrupted::new();
    match isa {
        Isa::Baseline => baseline::<K>(launch, space, threads, args),
        // SAFETY: `Isa::detected` gives this only where the CPU has AVX2.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { avx2::<K>(launch, space, threads, args) },
        // SAFETY: `Isa::detected` gives this only where the CPU has these extensions.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { avx512::<K>(launch, space, threads, args) },
    }
}

/// The loop; inlined, with the kernel, into one function for each instruction set.
///
/// Each kernel thread has its own arguments: what it does to them is not seen by the next one.
#[inline(always)]
fn threads_in_order<K: Kernel>(
    launch: Launch,
    space: ThreadSpace,
    threads: Range<usize>,
    args: &[Bound<'_>],
) {
    let mut x = threads.start % space.width();
    let mut y = threads.start / space.width();
    for _ in threads {
        Executor::enter(launch, [x as u32, y as u32]);
        let mut args = K::bind::<Cpu<Executor>>(&mut Source { args: args.iter() });
        K::run::<Cpu<Executor>>(&mut args);
        x += 1;
        if x == space.width() {
            x = 0;
            y += 1;
        }
    }
}

#[inline(never)]
fn baseline<K: Kernel>(launch: Launch, space: ThreadSpace, threads: Range<usize>, args: &[Bound<'_>]) {
    threads_in_order::<K>(launch, space, threads, args);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn avx2<K: Kernel>(launch: Launch, space: ThreadSpace, threads: Range<usize>, args: &[Bound<'_>]) {
    threads_in_order::<K>(launch, space, threads, args);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel>(launch: Launch, space: ThreadSpace, threads: Range<usize>, args: &[Bound<'_>]) {
    threads_in_order::<K>(launch, space, threads, args);
}
