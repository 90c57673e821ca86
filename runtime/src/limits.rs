//! Limits that messages name.

/// Threads of a thread space, each way: the media walker's limit from Skylake on.
pub(crate) const THREAD_SPACE: usize = 2047;
/// Worker threads of a CPU device.
pub(crate) const WORKERS: usize = 1024;
