//! The destinations and operations of messages.

use crate::generation::Generation;

/// The part of the cache that receives a message, by its shared function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// `ugm` and `ugml`: memory and buffers.
    Untyped,
    /// `tgm`: texels of surfaces.
    Typed,
    /// `slm`: the memory of the group.
    Shared,
}

impl Unit {
    /// The unit of a shared function; `None` for other functions.
    pub(crate) fn of(function: u32, generation: Generation) -> Option<Self> {
        if generation < Generation::XeHpg {
            return None;
        }
        match function {
            1 | 15 => Some(Self::Untyped),
            13 => Some(Self::Typed),
            14 => Some(Self::Shared),
            _ => None,
        }
    }
}

/// The operation of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    Atomic,
}
