//! Limits that messages name.

pub(crate) use cm_compiler::limits::THREAD_SPACE;

/// Worker threads of a CPU device.
pub(crate) const WORKERS: usize = 1024;
