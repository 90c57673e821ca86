//! Many launches without waiting for each.

use std::marker::PhantomData;

use crate::device::{Device, Kind};
use crate::error::{self, Error};
use crate::event::Event;
use crate::level_zero::{Batches, DeviceTiming};

/// A queue of launches that do not wait; see [`Device::scope`]. CM: `CmQueue`.
///
/// Kernels are added with `k::enqueue(scope, space, ..)`.
#[derive(Debug)]
pub struct Scope<'a> {
    device: &'a Device,
    /// The batches of its launches and writes on a GPU.
    batches: Batches,
    /// The scope waits in the thread that opened it.
    not_send: PhantomData<*const ()>,
}

/// Many launches without waiting for each.
impl Device {
    /// Calls `record`, which adds launches with `k::enqueue(scope, ..)`, and waits until all of them have
    /// completed. CM: `CmQueue::Enqueue` and `CmEvent::WaitForTaskFinished`.
    ///
    /// - The launches run in order. Each one sees what the previous ones wrote.
    /// - On a GPU they are sent in batches, without a round trip for each. On the CPU `enqueue` runs the
    ///   kernel immediately.
    /// - `enqueue` borrows surfaces only for the call. The next launch can read a surface that the previous one
    ///   writes.
    /// - `enqueue` returns an [`Enqueued`], which reports how long the kernel ran.
    /// - Reading a surface inside the scope (`to_vec`) waits for all earlier launches. `enqueue_read` and
    ///   `enqueue_write` of surfaces and buffers copy without waiting, so that several uploads, launches and downloads
    ///   are in flight at once.
    ///
    /// # Errors
    /// The error of `record`, or otherwise the first error of the launches. The launches before an error have
    /// completed.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn double(input: &Surface2D, output: &mut Surface2D) {
    ///     let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    ///     let m = input.read::<u8, 4, 16>(x, y);
    ///     output.write(x, y, &(m + m).convert::<u8>());
    /// }
    ///
    /// let device = Device::best()?;
    /// let space = ThreadSpace::new(1, 1)?;
    /// let a = Surface2D::from_bytes(&device, Format::R8, 16, 4, &[3; 64])?;
    /// let mut b = Surface2D::new(&device, Format::R8, 16, 4)?;
    /// let mut c = Surface2D::new(&device, Format::R8, 16, 4)?;
    /// device.scope(|scope| {
    ///     double::enqueue(scope, space, &a, &mut b)?;
    ///     double::enqueue(scope, space, &b, &mut c)
    /// })?;
    /// assert_eq!(c.to_vec()?, [12; 64]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn scope<T, E: From<Error>>(&self, record: impl FnOnce(&Scope<'_>) -> Result<T, E>) -> Result<T, E> {
        let scope = Scope { device: self, batches: Batches::default(), not_send: PhantomData };
        // Also if `record` panics: nothing keeps running after the scope.
        let waits = Waits(&scope);
        let recorded = record(&scope);
        // The wait is here, where the error can be returned.
        std::mem::forget(waits);
        let waited = scope.wait();
        // The error of the closure came first.
        let value = recorded?;
        waited?;
        Ok(value)
    }
}

impl Scope<'_> {
    /// The device that the launches run on.
    ///
    /// ```
    /// use cm::prelude::*;
    /// let device = Device::cpu()?;
    /// device.scope(|scope| {
    ///     assert_eq!(scope.device().name(), device.name());
    ///     Ok::<(), cm::Error>(())
    /// })?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[must_use]
    pub const fn device(&self) -> &Device {
        self.device
    }

    /// The batches of the launches and writes so far.
    pub(crate) const fn batches(&self) -> &Batches {
        &self.batches
    }

    /// Submits the commands so far to a GPU, so that it starts.
    pub(crate) fn submit(&self) -> error::Result<()> {
        match self.device.kind() {
            Kind::Cpu(_) => Ok(()),
            Kind::LevelZero(gpu) => gpu.submit(),
        }
    }

    /// Returns an error unless the copied memory belongs to the device.
    pub(crate) fn check_device(&self, is_on: bool) -> error::Result<()> {
        if is_on { Ok(()) } else { Err(Error::ScopeDevice { device: self.device.name().to_owned() }) }
    }

    fn wait(&self) -> error::Result<()> {
        match self.device.kind() {
            Kind::Cpu(_) => Ok(()),
            Kind::LevelZero(gpu) => {
                let finished = gpu.finish();
                // Others may have submitted them, and got the error.
                self.batches.check()?;
                finished
            }
        }
    }
}

/// A launch in a scope, which may not have run yet. CM: `CmEvent` of `Enqueue`.
///
/// It may outlive the scope. Dropping it does not wait.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn clear(output: &mut Surface2D) {
///     output.write(thread_origin_x() * 16, thread_origin_y(), &Vector::<u8, 16>::splat(0));
/// }
///
/// let device = Device::best()?;
/// let mut output = Surface2D::new(&device, Format::R8, 64, 64)?;
/// let launches = device.scope(|scope| {
///     let space = ThreadSpace::new(4, 64)?;
///     Ok::<_, cm::Error>([clear::enqueue(scope, space, &mut output)?, clear::enqueue(scope, space, &mut output)?])
/// })?;
/// for launch in &launches {
///     println!("{:?}", launch.wait()?.elapsed());
/// }
/// # Ok::<(), cm::Error>(())
/// ```
#[derive(Debug)]
pub struct Enqueued(Progress);

/// The state of a launch.
#[derive(Debug)]
enum Progress {
    Done(Event),
    OnDevice(DeviceTiming),
}

impl Enqueued {
    /// A completed launch.
    pub(crate) const fn done(event: Event) -> Self {
        Self(Progress::Done(event))
    }

    /// A launch that a GPU runs.
    pub(crate) const fn on_device(timing: DeviceTiming) -> Self {
        Self(Progress::OnDevice(timing))
    }

    /// Waits until the launch has completed, but not for later launches of the scope, and returns its report. CM:
    /// `WaitForTaskFinished`.
    ///
    /// # Errors
    /// [`Error::LevelZero`] if the GPU reports an error.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn clear(output: &mut Surface2D) {
    ///     output.write(thread_origin_x() * 16, thread_origin_y(), &Vector::<u8, 16>::splat(0));
    /// }
    ///
    /// let device = Device::best()?;
    /// let mut output = Surface2D::new(&device, Format::R8, 64, 64)?;
    /// device.scope(|scope| {
    ///     let first = clear::enqueue(scope, ThreadSpace::new(4, 64)?, &mut output)?;
    ///     clear::enqueue(scope, ThreadSpace::new(4, 32)?, &mut output)?;
    ///     println!("the first launch took {:?}", first.wait()?.elapsed());
    ///     Ok::<(), cm::Error>(())
    /// })?;
    /// # Ok::<(), cm::Error>(())
    /// ```
    pub fn wait(&self) -> error::Result<Event> {
        match &self.0 {
            Progress::Done(event) => Ok(*event),
            Progress::OnDevice(timing) => Ok(Event::new(timing.elapsed()?, 0)),
        }
    }
}

/// Waits when it is dropped.
struct Waits<'a>(&'a Scope<'a>);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.wait() {
            tracing::error!(%error, "launches of a scope failed");
        }
    }
}
