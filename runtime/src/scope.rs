//! Many launches without waiting for each.

use std::marker::PhantomData;

use crate::device::{Device, Kind};
use crate::error::{self, Error};

/// A queue of launches without waiting; see [`Device::scope`]. CM: `CmQueue`.
///
/// Kernels are added with `k::enqueue(scope, space, ..)`.
#[derive(Debug)]
pub struct Scope<'a> {
    device: &'a Device,
    /// The scope waits in the thread that opened it.
    not_send: PhantomData<*const ()>,
}

/// Many launches without waiting for each.
impl Device {
    /// Calls `record`, which adds launches with `k::enqueue(scope, ..)`, and waits until all of them are
    /// done. CM: `CmQueue::Enqueue` and `CmEvent::WaitForTaskFinished`.
    ///
    /// - The launches run in order. Each one sees what the previous ones wrote.
    /// - On a GPU they are sent in batches, without a round trip for each. On the CPU `enqueue` runs the
    ///   kernel immediately.
    /// - `enqueue` borrows surfaces only for the call. A surface that one launch writes can be read by the
    ///   next.
    /// - Reading a surface inside the scope (`to_vec`) waits for the launches before it.
    ///
    /// # Errors
    /// The error of `record`, or else the first error of the launches. The launches before an error are
    /// complete.
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
        let scope = Scope { device: self, not_send: PhantomData };
        // Also where `record` panics: nothing runs on after the scope.
        let waits = Waits(&scope);
        let recorded = record(&scope);
        // Waited for here, where the error can be returned.
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

    fn wait(&self) -> error::Result<()> {
        match self.device.kind() {
            Kind::Cpu(_) => Ok(()),
            Kind::LevelZero(gpu) => gpu.finish(),
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
