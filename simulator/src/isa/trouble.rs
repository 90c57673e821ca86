//! Why an instruction cannot be executed.

/// The reason.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// An instruction that this crate does not support.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// An invalid operand.
    #[error("an operand {0}")]
    Operand(&'static str),
    /// An address register points outside of the registers.
    #[error(
        "an indirect access outside of the registers: a0.{subregister} is {address}, {plus} is added, channel {lane}"
    )]
    Address { subregister: usize, address: u16, plus: i16, lane: usize },
    /// A message that the GPU or this crate does not support.
    #[error("{why} (descriptor {descriptor:#010x}, extended {extended:#x})")]
    Message { why: String, descriptor: u32, extended: u32 },
    /// Memory that is not mapped.
    #[error("memory access fault at GPU address {address:#x} ({bytes} bytes)")]
    Memory { address: u64, bytes: usize },
    /// Any other reason.
    #[error("{0}")]
    Other(String),
}
