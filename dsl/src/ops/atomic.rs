//! Atomic operations on elements of buffers.

use crate::elem::Int;

/// Which atomic operation it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the operations")]
pub enum AtomicKind {
    Add,
    Sub,
    Inc,
    Dec,
    Min,
    Max,
    And,
    Or,
    Xor,
    Xchg,
    CmpXchg,
}

impl AtomicKind {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Add,
        Self::Sub,
        Self::Inc,
        Self::Dec,
        Self::Min,
        Self::Max,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Xchg,
        Self::CmpXchg,
    ];

    /// How many sources it has, beside the element itself.
    #[must_use]
    pub const fn sources(self) -> usize {
        match self {
            Self::Inc | Self::Dec => 0,
            Self::CmpXchg => 2,
            _ => 1,
        }
    }

    /// What the element becomes. `source` is the first source and `compare` the second one, where there are such.
    #[inline(always)]
    pub fn apply<T: Int>(self, old: T, source: T, compare: T) -> T {
        match self {
            Self::Add => T::add(old, source),
            Self::Sub => T::sub(old, source),
            Self::Inc => T::add(old, T::cast_from(1u8)),
            Self::Dec => T::sub(old, T::cast_from(1u8)),
            Self::Min => {
                if source < old {
                    source
                } else {
                    old
                }
            }
            Self::Max => {
                if source > old {
                    source
                } else {
                    old
                }
            }
            Self::And => T::and(old, source),
            Self::Or => T::or(old, source),
            Self::Xor => T::xor(old, source),
            Self::Xchg => source,
            Self::CmpXchg => {
                if old == compare {
                    source
                } else {
                    old
                }
            }
        }
    }
}
