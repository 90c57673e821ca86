//! The recording backend: a kernel as [`ir`](cm_compiler::ir).
//!
//! It goes through the body once: both arms of a staged `if`, every staged loop once, host loops as often as they go.
//! Registers are handles of values or of variables. The first rule that is broken is reported with its line.

mod backend;
mod condition;
mod place;
mod recorder;

pub use condition::{Arms, Rounds, Truth};
pub use place::Place;
pub use recorder::{Cause, RecordError};

use crate::kernel::Kernel;
use cm_compiler::access::Outline;
use cm_compiler::ir::{Function, Value, Variable};

/// The recording backend.
#[derive(Clone, Copy, Debug)]
pub struct Trace;

/// A register while it is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handle {
    /// A value; never changes.
    Value(Value),
    /// A variable, and how often it had been stored when this handle was last used to store it: a copy that is older than
    /// the variable does not hold what it seems to.
    Variable(Variable, u32),
}

/// A surface argument: which parameter it is.
#[derive(Debug)]
pub struct RecordedSurface(pub(crate) usize);

/// A buffer argument: which parameter it is.
#[derive(Debug)]
pub struct RecordedBuffer(pub(crate) usize);

/// A kernel as recorded, and what was found out when it was checked.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The kernel.
    pub function: Function,
    /// What it does to its surfaces and buffers.
    pub outline: Outline,
}

/// Records a kernel.
///
/// # Errors
/// If the kernel breaks a rule that shows only now.
pub fn record<K: Kernel>() -> Result<Recorded, RecordError> {
    recorder::record::<K>()
}
