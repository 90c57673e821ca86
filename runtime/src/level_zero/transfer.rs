//! Copies from the device: the bytes are valid when the device has completed the copy.

use std::sync::Arc;

use super::outcome::Outcome;
use super::staging::StagingMemory;
use super::stream::Stream;
use crate::error::LevelZeroError;

/// A pending copy of bytes from the device.
pub(super) struct Transfer {
    staged: Arc<StagingMemory>,
    bytes: usize,
    /// The outcome of the copy.
    outcome: Outcome,
}

impl Transfer {
    /// The first `bytes` bytes of memory that only a copy with this outcome writes.
    pub(super) fn new(staged: Arc<StagingMemory>, bytes: usize, outcome: Outcome) -> Self {
        Self { staged, bytes, outcome }
    }

    /// Waits for the copy and returns the bytes. Others may use the stream while they are read.
    pub(super) fn wait(&self, stream: &mut Stream) -> Result<&[u8], LevelZeroError> {
        stream.wait_for(&self.outcome)?;
        // SAFETY: the only command that writes the memory has completed.
        Ok(unsafe { self.staged.bytes(self.bytes) })
    }

    /// Returns the memory to the pool.
    pub(super) fn end(self, stream: &mut Stream) {
        stream.put_back(self.staged);
    }
}
