//! Atomic operations on elements of buffers.

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
}
