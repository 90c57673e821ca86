//! Copies from the device: bytes that are there when the device is done.

use std::sync::Arc;

use super::staging::HostMemory;
use super::stream::{Outcome, Stream};
use crate::error::LevelZeroError;

/// Bytes on their way from the device.
pub(super) struct Transfer {
    staged: Arc<HostMemory>,
    bytes: usize,
    /// Of the copy.
    outcome: Outcome,
}

impl Transfer {
    /// So many bytes of memory that nothing but a copy with this outcome writes.
    pub(super) fn new(staged: Arc<HostMemory>, bytes: usize, outcome: Outcome) -> Self {
        Self { staged, bytes, outcome }
    }

    /// Waits for the copy and returns the bytes. Others may use the stream while somebody reads them.
    pub(super) fn wait(&self, stream: &mut Stream) -> Result<&[u8], LevelZeroError> {
        stream.wait_for(&self.outcome)?;
        // SAFETY: the one command that writes the memory is done.
        Ok(unsafe { self.staged.bytes(self.bytes) })
    }

    /// Gives the memory back.
    pub(super) fn end(self, stream: &mut Stream) {
        stream.staging.put_back(self.staged);
    }
}
