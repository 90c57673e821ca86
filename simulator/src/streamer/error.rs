//! Errors of a batch.

use crate::dispatch::Fault;
use crate::eu::DecodeError;

/// Why a batch cannot continue. Its context is lost, as after a hang of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    /// The device was closed.
    #[error("the device was closed")]
    Stopped,
    /// There is no buffer at an address.
    #[error("{what} at {address:#x}: no buffer of this submission is there")]
    NotMapped { what: &'static str, address: u64 },
    /// An unsupported command, or variant of a command.
    #[error("{what} {number:#x} is not supported")]
    Unsupported { what: &'static str, number: u32 },
    /// Batches are nested too deeply.
    #[error("batch buffers are nested too deep at {address:#x}")]
    Nested { address: u64 },
    /// A payload that does not fit the registers.
    #[error("walker {walker}: a payload of {registers} registers, more than a thread has")]
    Payload { walker: u64, registers: usize },
    /// Invalid machine code.
    #[error("walker {walker}: the kernel at {address:#x}: {error}")]
    Program { walker: u64, address: u64, error: DecodeError },
    /// A fault at an instruction of a thread.
    #[error("walker {walker}, group ({}, {}, {}), thread {thread}: {fault}", group[0], group[1], group[2])]
    Fault { walker: u64, group: [u32; 3], thread: u32, fault: Fault },
    /// A fault at an instruction of a thread of the media pipeline.
    #[error("walker {walker}, thread ({x}, {y}) of colour {colour}: {fault}")]
    MediaFault { walker: u64, x: u16, y: u16, colour: u8, fault: Fault },
}
