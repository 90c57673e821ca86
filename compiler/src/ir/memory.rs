//! What instructions do to memory.

use super::inst::Op;

/// An access to a surface or buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The parameter.
    pub param: usize,
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes.
    pub writes: bool,
}

impl Op {
    /// The access to memory that it is.
    #[must_use]
    pub const fn memory(&self) -> Option<Memory> {
        let (param, reads, writes) = match self {
            Self::MediaRead(param, ..) | Self::OwordRead(_, param, _) | Self::Gather(param, _) => {
                (*param, true, false)
            }
            Self::MediaWrite(param, ..) | Self::OwordWrite(param, ..) | Self::Scatter(param, ..) => {
                (*param, false, true)
            }
            Self::Atomic(_, param, ..) => (*param, true, true),
            _ => return None,
        };
        Some(Memory { param, reads, writes })
    }
}
