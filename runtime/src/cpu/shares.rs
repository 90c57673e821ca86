//! The number of worker threads of a launch, and the division of its groups among them.
//!
//! Waking a worker costs microseconds: more than a small launch takes. The cost of a kernel thread is estimated from
//! its recording, so the result is the same for each launch.

use std::ops::Range;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::helpers;
use super::workers::Workers;

/// Picoseconds that the compiled code of a kernel takes for an operation on 64 bytes, measured with many different
/// kernels.
pub(super) const COMPILED: u64 = 100;

/// The same without optimisation: a few hundred times as much.
pub(super) const UNOPTIMISED: u64 = 20_000;

/// The same for its recording.
pub(super) const RECORDED: u64 = 1400;

/// The cost of an empty thread in operations.
const THREAD: u64 = 64;

/// Picoseconds of work for which another worker is woken.
const WORKER: u64 = 12_000_000;

/// The minimum work of a stretch in picoseconds: enough to make the switch to it cheap.
const STRETCH: u64 = 2_000_000;

/// The same for a wave: all workers wait for the end of each wave.
const WAVE_STRETCH: u64 = 4_000_000;

/// The division of groups of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// The number of workers.
    pub(super) workers: usize,
    /// The minimum number of groups of a stretch.
    least: usize,
}

impl Shares {
    /// The division of this number of groups, from the operations of their threads and the picoseconds per operation,
    /// for at most this number of workers. `widest` is the number of groups of the widest wave, if they run wave by
    /// wave.
    pub(super) fn new(
        available: usize,
        groups: usize,
        (size, work, operation): (usize, u64, u64),
        widest: Option<usize>,
    ) -> Self {
        let group = work.saturating_add(THREAD).saturating_mul(operation).saturating_mul(size as u64);
        let stretch = if widest.is_some() { WAVE_STRETCH } else { STRETCH };
        let least = stretch.div_ceil(group) as usize;
        let all = group.saturating_mul(groups as u64);
        let worth = usize::try_from(all / WORKER).unwrap_or(usize::MAX);
        // No more workers than stretches.
        let stretches = widest.unwrap_or(groups).div_ceil(least);
        Self { workers: available.min(worth).min(stretches).max(1), least }
    }

    /// All groups on one worker, one after the other.
    pub(super) fn one_by_one(self) -> Self {
        Self { workers: 1, ..self }
    }

    /// Runs all groups up to a number: on this thread with workers of this pool, or as a worker with others of its pool.
    pub(super) fn run(self, all: usize, pool: Option<&Workers>, run: &(dyn Fn(Range<usize>) + Sync)) {
        let size = all.div_ceil(self.workers * 8).max(self.least);
        if self.workers == 1 || all <= size {
            return run(0..all);
        }
        let stretch = |i: usize| run(i * size..all.min((i + 1) * size));
        let count = all.div_ceil(size);
        match pool {
            Some(pool) => helpers::run(count, self.workers, &|task| pool.call(task), &stretch),
            None => (0..count).into_par_iter().for_each(stretch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of workers, of 8, for this number of threads with this number of operations each.
    fn workers(threads: usize, work: u64) -> usize {
        Shares::new(8, threads, (1, work, COMPILED), None).workers
    }

    #[test]
    fn workers_are_as_many_as_the_work_is_worth() {
        assert_eq!(workers(0, 100), 1);
        assert_eq!(workers(256, 100), 1, "4 microseconds");
        assert_eq!(workers(2000, 100), 2, "33 microseconds");
        assert_eq!(workers(100_000, 100), 8);
        assert_eq!(workers(3, 10_000_000), 3, "few threads that do much");
        assert_eq!(workers(1, 10_000_000), 1);
        assert_eq!(workers(usize::MAX, u64::MAX), 8);
        let groups = Shares::new(8, 100, (64, 100, COMPILED), None);
        assert_eq!(groups.workers, workers(6400, 100));
    }

    #[test]
    fn waves_are_shared_out_if_each_is_worth_it() {
        let waves = |widest| Shares::new(8, 100_000, (1, 100, COMPILED), Some(widest)).workers;
        assert_eq!((waves(1), waves(100), waves(1000)), (1, 1, 5));
    }

    #[test]
    fn everything_runs_once() {
        let own = Workers::new(2).unwrap();
        for pool in [None, Some(&own), Some(&Workers::Current)] {
            for (workers, least, all) in [(1, 1, 10), (4, 1, 1000), (4, 100, 1000), (3, 7, 0), (8, 1, 5)] {
                let done = std::sync::Mutex::new(vec![0; all]);
                Shares { workers, least }.run(all, pool, &|range| {
                    done.lock().unwrap()[range].iter_mut().for_each(|n| *n += 1);
                });
                assert!(done.into_inner().unwrap().iter().all(|n| *n == 1));
            }
        }
    }
}
