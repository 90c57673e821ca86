//! Why an instruction cannot be executed.

/// The reason.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// It is one that this crate does not know.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// Its operand is none.
    #[error("an operand {0}")]
    Operand(&'static str),
    /// An address register leads out of the registers.
    #[error(
        "an indirect access outside of the registers: a0.{subregister} is {address}, {plus} is added, channel {lane}"
    )]
    Address { subregister: usize, address: u16, plus: i16, lane: usize },
    /// A message that the GPU does not know, or this crate.
    #[error("{why} (descriptor {descriptor:#010x}, extended {extended:#x})")]
    Message { why: String, descriptor: u32, extended: u32 },
    /// Memory that is not there.
    #[error("memory access fault at GPU address {address:#x} ({bytes} bytes)")]
    Memory { address: u64, bytes: usize },
    /// Other.
    #[error("{0}")]
    Other(String),
}
