//! The recording backend, and what its registers and arguments are.

use cm_compiler::ir::{Value, Variable};

/// The recording backend.
#[derive(Clone, Copy, Debug)]
pub struct Recorder;

/// A register while it is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handle {
    /// A value; never changes.
    Value(Value),
    /// A variable, and how often it had been stored when this handle was last used to store it: a copy that
    /// is older than the variable does not hold what it seems to.
    Variable(Variable, u32),
}

/// A surface argument: which parameter it is.
#[derive(Debug)]
pub struct RecordedSurface(pub(crate) usize);

/// A buffer argument, or an array that the threads of a group share: which parameter it is.
#[derive(Clone, Copy, Debug)]
pub struct RecordedBuffer(pub(crate) usize);
