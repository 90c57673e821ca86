//! Why a batch cannot go on.

use crate::dispatch::Fault;
use crate::eu::DecodeError;

/// Why a batch cannot go on: its context is lost, as after a hang of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    /// The device is closed.
    #[error("the device was closed")]
    Stopped,
    /// No buffer is at an address.
    #[error("{what} at {address:#x}: no buffer of this submission is there")]
    NotMapped { what: &'static str, address: u64 },
    /// A command or its variant.
    #[error("{what} {number:#x} is not supported")]
    Unsupported { what: &'static str, number: u32 },
    /// Batches that start batches that ..
    #[error("batch buffers are nested too deep at {address:#x}")]
    Nested { address: u64 },
    /// A payload that the registers cannot hold.
    #[error("walker {walker}: a payload of {registers} registers, more than a thread has")]
    Payload { walker: u64, registers: usize },
    /// Machine code that is none.
    #[error("walker {walker}: the kernel at {address:#x}: {error}")]
    Program { walker: u64, address: u64, error: DecodeError },
    /// An instruction of a thread.
    #[error("walker {walker}, group ({}, {}, {}), thread {thread}: {fault}", group[0], group[1], group[2])]
    Fault { walker: u64, group: [u32; 3], thread: u32, fault: Fault },
    /// An instruction of a thread of the media pipeline.
    #[error("walker {walker}, thread ({x}, {y}) of colour {colour}: {fault}")]
    MediaFault { walker: u64, x: u16, y: u16, colour: u8, fault: Fault },
}
