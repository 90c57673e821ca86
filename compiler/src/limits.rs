//! The limits of the hardware, each stated once.

/// How deep blocks may be nested: little enough for the stack of a thread.
pub const MAX_DEPTH: usize = 128;

/// Elements of the largest object.
pub const MAX_ELEMENTS: usize = 4096;
