//! The report of a launch.

use std::time::Duration;

/// The report of a finished launch. CM: `CmEvent`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn clear(output: &mut Surface2D) {
///     output.write(thread_origin_x() * 16, thread_origin_y(), &Vector::<u8, 16>::splat(0));
/// }
///
/// let device = Device::cpu_with_threads(2)?;
/// let mut output = Surface2D::new(&device, Format::R8, 64, 64)?;
/// let event = clear::launch(&device, ThreadSpace::new(4, 64)?, &mut output)?;
/// println!("{:?} on {} threads", event.elapsed(), event.workers());
/// assert!(event.workers() <= 2);
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Event {
    elapsed: Duration,
    workers: usize,
}

impl Event {
    pub(crate) fn new(elapsed: Duration, workers: usize) -> Self {
        Self { elapsed, workers }
    }

    /// The time that the kernel ran, without copies; 0 on targets without a clock. CM: `GetExecutionTime`.
    #[must_use]
    pub const fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The number of CPU worker threads that ran the kernel; 0 on a GPU.
    ///
    /// It is 1 if cm cannot prove that kernel threads use different bytes of the memory they write. They then
    /// run one after the other, in raster order.
    #[must_use]
    pub const fn workers(&self) -> usize {
        self.workers
    }
}
