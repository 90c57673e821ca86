//! What a launch reports.

use std::time::Duration;

/// A finished launch. CM: `CmEvent`.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    elapsed: Duration,
    workers: usize,
}

impl Event {
    pub(crate) fn new(elapsed: Duration, workers: usize) -> Self {
        Self { elapsed, workers }
    }

    /// How long the kernel ran; 0 on targets without a clock. CM: `GetExecutionTime`.
    #[must_use]
    pub const fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// How many worker threads of the CPU took part: 1 where it is not proven that kernel threads touch
    /// different bytes of the surfaces they write, since they then run one after the other, in raster order.
    #[must_use]
    pub const fn workers(&self) -> usize {
        self.workers
    }
}
