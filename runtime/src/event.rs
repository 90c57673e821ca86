//! The report of a launch.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use cm_compiler::access::Obstacle;
use cm_compiler::ir::Location;

use crate::engine::CpuEngine;

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    elapsed: Duration,
    workers: usize,
    one_by_one: Option<OneByOne>,
    engine: Option<CpuEngine>,
}

/// Why kernel threads ran one after the other on the CPU; see [`Event::ran_one_by_one`].
///
/// Its text names the argument, the line of the kernel, and the cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OneByOne {
    argument: &'static str,
    file: &'static str,
    line: u32,
    obstacle: Obstacle,
}

impl OneByOne {
    pub(crate) fn new(argument: &'static str, location: &Location, obstacle: Obstacle) -> Self {
        let file = match location.file {
            Cow::Borrowed(file) => file,
            Cow::Owned(_) => "",
        };
        Self { argument, file, line: location.line, obstacle }
    }

    /// The argument on which kernel threads may conflict. [`Event::ran_one_by_one`] has an example.
    #[must_use]
    pub const fn argument(&self) -> &'static str {
        self.argument
    }

    /// The source file of the access, or an empty text for a kernel whose IR was read from a file.
    /// [`Event::ran_one_by_one`] has an example.
    #[must_use]
    pub const fn file(&self) -> &'static str {
        self.file
    }

    /// The line of the kernel that accesses the argument. [`Event::ran_one_by_one`] has an example.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }
}

impl fmt::Display for OneByOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, file, line, obstacle } = self;
        write!(f, "`{argument}` in {file}:{line}: {obstacle}")
    }
}

impl Event {
    pub(crate) fn new(elapsed: Duration, workers: usize) -> Self {
        Self { elapsed, workers, one_by_one: None, engine: None }
    }

    pub(crate) fn by(self, engine: CpuEngine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    pub(crate) fn one_by_one(self, why: Option<OneByOne>) -> Self {
        Self { one_by_one: why, ..self }
    }

    /// The run time of the kernel, without copies; 0 on targets without a clock. CM: `GetExecutionTime`.
    ///
    /// [`Event`] has an example.
    #[must_use]
    pub const fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The number of CPU worker threads that ran the kernel; 0 on a GPU.
    ///
    /// Small launches use fewer threads than the device has: at most one for each 12 microseconds of estimated work.
    ///
    /// It is 1 if cm cannot prove that kernel threads use disjoint bytes of the memory they write. They then run
    /// one after the other, in raster order; [`ran_one_by_one`](Self::ran_one_by_one) says why.
    #[must_use]
    pub const fn workers(&self) -> usize {
        self.workers
    }

    /// The engine that ran the kernel on the CPU: its machine code or its recording; `None` on a GPU. See
    /// [`CpuEngine`].
    ///
    /// ```
    /// use cm::prelude::*;
    /// use cm::CpuEngine;
    ///
    /// #[kernel]
    /// fn clear(output: &mut Surface2D) {
    ///     output.write(0, 0, &Vector::<u8, 16>::splat(0));
    /// }
    ///
    /// let device = Device::cpu()?.with_cpu_engine(CpuEngine::Native);
    /// let mut output = Surface2D::new(&device, Format::R8, 16, 1)?;
    /// let event = clear::launch(&device, ThreadSpace::new(1, 1)?, &mut output)?;
    /// assert_eq!(event.engine(), Some(CpuEngine::Native));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn engine(&self) -> Option<CpuEngine> {
        self.engine
    }

    /// Why kernel threads ran one after the other on the CPU, independent of the number of cores; `None` if they did
    /// not have to, and on a GPU. The same information is a `tracing` event of level INFO.
    ///
    /// Writes are proven to be disjoint if their positions follow from thread coordinates, arguments, constants and the
    /// counters of loops. Positions that depend on data are not proven. The text names the cause: data, a variable that changes
    /// under a condition or in a loop whose step or number of iterations is not known at launch, other arithmetic, or threads
    /// that may overlap.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn count(values: &Buffer<u32>, counts: &mut Buffer<u32>) {
    ///     let bins: Vector<u32, 16> = values.read::<16>(thread_origin_x() * 64) & 255;
    ///     counts.write_scattered(0, &bins, &Vector::<u32, 16>::splat(1));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let values = Buffer::<u32>::new(&device, 1024)?;
    /// let mut counts = Buffer::<u32>::new(&device, 256)?;
    /// let event = count::launch(&device, ThreadSpace::new(64, 1)?, &values, &mut counts)?;
    /// let why = event.ran_one_by_one().expect("two threads may count the same value");
    /// assert_eq!(why.argument(), "counts");
    /// assert!(why.to_string().ends_with("the position of the access depends on data"));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn ran_one_by_one(&self) -> Option<OneByOne> {
        self.one_by_one
    }
}
