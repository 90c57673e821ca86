//! The planning backend: what a kernel does to its surfaces, as far as it shows without data.
//!
//! It goes through a kernel once, as a recording does: both arms of a staged `if`, every staged loop once. It
//! reports the first rule that is broken, with its line, and follows the coordinates of surface accesses as affine
//! functions of the thread's coordinates, from which an executor proves that kernel threads do not disturb each
//! other.

mod affine;
mod backend;
mod outline;
mod recorder;

pub use affine::Affine;
pub use outline::{Access, Claim, Outline, RecordError, Space};

use crate::kernel::Kernel;

/// The planning backend.
#[derive(Clone, Copy, Debug)]
pub struct Plan;

/// A surface argument, by its place among the arguments.
#[derive(Debug)]
pub struct PlannedSurface {
    pub(crate) argument: usize,
}

/// Goes through a kernel once.
///
/// # Errors
/// If the kernel breaks a rule that shows only now.
pub fn outline<K: Kernel>() -> Result<Outline, RecordError> {
    recorder::record::<K>()
}
