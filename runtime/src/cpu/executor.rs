//! The thread space over the worker threads.

use std::ops::Range;
use std::time::Instant;

use cm_dsl::backend::Backend;
use cm_dsl::cpu::Cpu;
use cm_dsl::elem::Elem;
use cm_dsl::kernel::{ArgSource, Kernel};
use cm_dsl::plan::{Claim, Outline, Space};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use smallvec::SmallVec;

use super::isa::Isa;
use super::memory::{Executor, Interrupted, Launch, Lent, SurfaceMemory};
use crate::{Arg, Device, Event, Result, ThreadSpace, Uniform};

/// An argument as kernel threads take it.
enum Bound<'a> {
    Surface(Lent),
    Uniform(&'a Uniform),
}

/// Arguments, one after the other.
struct Source<'a> {
    args: std::slice::Iter<'a, Bound<'a>>,
    launch: Launch,
}

impl<const N: usize> ArgSource<Cpu<Executor, N>> for Source<'_> {
    #[inline(always)]
    fn surface(&mut self) -> SurfaceMemory {
        match self.args.next() {
            Some(Bound::Surface(lent)) => lent.to(self.launch),
            _ => unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel"),
        }
    }

    #[inline(always)]
    fn uniform<T: Elem, const R: usize, const C: usize>(
        &mut self,
    ) -> <Cpu<Executor, N> as Backend>::Reg<T, R, C> {
        let Some(Bound::Uniform(uniform)) = self.args.next() else {
            unreachable!("`#[kernel]` declares `launch` with the parameters of the kernel");
        };
        let mut rows = [[T::default(); C]; R];
        bytemuck::cast_slice_mut(rows.as_flattened_mut()).copy_from_slice(uniform.bytes());
        Cpu::<Executor, N>::constant(rows)
    }
}

/// Arguments of which a launch needs no allocation.
const INLINE: usize = 16;

/// Kernel threads that one worker thread runs at a stretch: enough to make the switch cheap, few enough to share out.
const STRETCH: usize = 64;

/// Runs kernel `K` on every thread of the space. Where each thread has its part of every written surface to itself
/// they run on several worker threads, else one after the other.
pub(crate) fn run<K: Kernel>(
    device: &Device,
    space: ThreadSpace,
    args: &mut [Arg<'_>],
    outline: &Outline,
) -> Result<Event> {
    let isa = Isa::chosen()?;
    let threads = space.width() * space.height();
    let claims = claims(outline, space, args);
    if claims.is_none() {
        tracing::debug!(
            kernel = K::NAME,
            "kernel threads may touch the same bytes; they run one after the other"
        );
    }
    let workers = if claims.is_some() { device.workers().min(threads.div_ceil(STRETCH)) } else { 1 };
    let claim = |i: usize| claims.as_ref().filter(|_| workers > 1).and_then(|claims| claims[i]);
    let launch = Launch::new();
    let bound: SmallVec<[Bound<'_>; INLINE]> = args
        .iter_mut()
        .enumerate()
        .map(|(i, arg)| match arg {
            Arg::Read(surface) => Bound::Surface(Lent::read(surface)),
            Arg::Write(surface) => Bound::Surface(Lent::write(surface, claim(i))),
            Arg::Uniform(uniform) => Bound::Uniform(uniform),
        })
        .collect();
    // Neighbours that run side by side take turns at every operation.
    let wide = claims.is_some() && !outline.has_staged_control_flow();
    let started = Instant::now();
    if workers == 1 {
        stretch::<K>(isa, wide, launch, space, 0..threads, &bound);
    } else {
        let size = threads.div_ceil(workers * 8).max(STRETCH);
        device.install(|| {
            (0..threads.div_ceil(size)).into_par_iter().for_each(|i| {
                stretch::<K>(isa, wide, launch, space, i * size..threads.min((i + 1) * size), &bound);
            });
        });
    }
    Ok(Event::new(started.elapsed(), workers))
}

/// What each kernel thread has to itself of every surface that is written; `None` where that is not proven.
fn claims(
    outline: &Outline,
    space: ThreadSpace,
    args: &[Arg<'_>],
) -> Option<SmallVec<[Option<Claim>; INLINE]>> {
    args.iter()
        .enumerate()
        .map(|(argument, arg)| match arg {
            Arg::Write(surface) => {
                let space = Space {
                    width: space.width(),
                    height: space.height(),
                    surface_width: surface.row_bytes(),
                    surface_height: surface.height(),
                };
                outline.claim(argument, space).map(Some)
            }
            Arg::Read(_) | Arg::Uniform(_) => Some(None),
        })
        .collect()
}

/// Runs some threads of the space, in raster order; `wide` says whether neighbours may run side by side.
fn stretch<K: Kernel>(
    isa: Isa,
    wide: bool,
    launch: Launch,
    space: ThreadSpace,
    threads: Range<usize>,
    args: &[Bound<'_>],
) {
    let _interrupted = Interrupted::new();
    let width = space.width();
    let mut next = threads.start;
    while next < threads.end {
        let [x, y] = [next % width, next / width];
        let count = (width - x).min(threads.end - next);
        let run = Run { launch, x: x as u32, y: y as u32, args };
        match isa {
            Isa::Baseline => baseline::<K, 1>(run, count),
            // SAFETY: `Isa::chosen` gives this only where the CPU has AVX2.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::<K, 1>(run, count) },
            // SAFETY: `Isa::chosen` gives this only where the CPU has these extensions.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe {
                let pairs = if wide { count / 2 } else { 0 };
                if pairs > 0 {
                    avx512::<K, 2>(run, pairs);
                }
                if count > 2 * pairs {
                    avx512::<K, 1>(Run { x: run.x + 2 * pairs as u32, ..run }, count - 2 * pairs);
                }
            },
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
    args: &'a [Bound<'a>],
}

/// The loop; inlined, with the kernel, into one function for each instruction set and number of threads side by side.
///
/// Each kernel thread has its own arguments: what it does to them is not seen by the next one.
#[inline(always)]
fn side_by_side<K: Kernel, const N: usize>(run: Run<'_>, count: usize) {
    let Run { launch, x, y, args } = run;
    for n in 0..count {
        Executor::enter(launch, x + (n * N) as u32, y);
        let mut args = K::bind::<Cpu<Executor, N>>(&mut Source { args: args.iter(), launch });
        K::run::<Cpu<Executor, N>>(&mut args);
    }
}

#[inline(never)]
fn baseline<K: Kernel, const N: usize>(run: Run<'_>, count: usize) {
    side_by_side::<K, N>(run, count);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn avx2<K: Kernel, const N: usize>(run: Run<'_>, count: usize) {
    side_by_side::<K, N>(run, count);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel, const N: usize>(run: Run<'_>, count: usize) {
    side_by_side::<K, N>(run, count);
}
