//! The recording backend, its registers and its arguments.

use cm_compiler::ir::{Value, Variable};

/// The recording backend.
#[derive(Clone, Copy, Debug)]
pub struct Recorder;

/// A register while it is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handle {
    /// A value; never changes.
    Value(Value),
    /// A variable, and the number of the store by which this handle last stored it: an older copy does not hold the
    /// value that it seems to hold.
    Variable(Variable, u32),
}

/// A surface argument: the number of its parameter.
#[derive(Clone, Copy, Debug)]
pub struct RecordedSurface(pub(crate) usize);

/// A buffer argument, or an array that the threads of a group share: the number of its parameter.
#[derive(Clone, Copy, Debug)]
pub struct RecordedBuffer(pub(crate) usize);
