//! Limits that messages name.

pub(crate) use cm_compiler::limits::{GROUP_THREADS, THREAD_SPACE};

/// Worker threads of a CPU device.
pub(crate) const WORKERS: usize = 1024;
