//! Statistics of the streamers of a process.

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::log::error;
use crate::settings::Settings;

/// A counter that streamers increment.
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Increments the counter. Returns the new value.
    pub(super) fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

pub(super) static BATCHES: Count = Count(AtomicU64::new(0));
pub(super) static WALKERS: Count = Count(AtomicU64::new(0));
pub(super) static THREADS: Count = Count(AtomicU64::new(0));
pub(super) static INSTRUCTIONS: Count = Count(AtomicU64::new(0));
/// The time spent in walkers.
pub(super) static NANOSECONDS: Count = Count(AtomicU64::new(0));

/// Reports at exit if the settings request it.
pub(crate) fn report_at_exit(settings: &Settings) {
    static ONCE: Once = Once::new();
    if settings.stats {
        ONCE.call_once(|| {
            // SAFETY: the function is part of this library, which is never unloaded, and does not panic.
            unsafe { libc::atexit(report) };
        });
    }
}

extern "C" fn report() {
    error(format_args!(
        "{} batches, {} walkers, {} threads, {} instructions, {:.3} ms in walkers",
        BATCHES.get(),
        WALKERS.get(),
        THREADS.get(),
        INSTRUCTIONS.get(),
        Duration::from_nanos(NANOSECONDS.get()).as_secs_f64() * 1e3,
    ));
}
