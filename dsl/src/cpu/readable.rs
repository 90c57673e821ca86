//! The proof that what was found in memory may be read now, and what is kept to ask again later.

use std::fmt::Debug;

use cm_macros::inlined;

/// What an executor is asked before a block that was read in place is read again: safe code can keep the block longer than
/// the memory is borrowed.
pub trait Kept: Copy + Debug {
    /// Whether the memory may still be read. An executor refuses by a panic what the kernel may not touch any more.
    fn check_again(self);
}

/// Surfaces and buffers of an executor, of which blocks can be kept.
pub trait Memory {
    /// What is kept with a block that is read in place.
    type Kept: Kept;

    /// What is asked about a block of it that is kept.
    #[must_use]
    fn kept(&self) -> Self::Kept;
    /// Whether nobody writes it until [`Kept::check_again`] refuses: blocks of other memory are not kept where they are.
    #[must_use]
    fn is_constant(&self) -> bool;
}

/// Of memory that a reference lets be read: constants of the program, and stack slots.
impl Kept for () {
    #[inlined]
    fn check_again(self) {}
}

/// What was found of checked blocks and may be read now. It is used up by the read; what is kept for later
/// reads is without this proof, and is checked again.
#[derive(Debug)]
pub(super) struct Readable<T>(T);

impl<T> Readable<T> {
    /// What was found of memory that was checked just now.
    #[inlined]
    pub(super) fn checked(found: T) -> Self {
        Self(found)
    }

    /// What was found before, if the executor still lets it be read.
    #[inlined]
    pub(super) fn again(kept: impl Kept, found: T) -> Self {
        kept.check_again();
        Self(found)
    }

    /// To be read.
    #[inlined]
    pub(super) fn get(&self) -> &T {
        &self.0
    }

    /// `part`, a part of it, to be read.
    #[inlined]
    pub(super) fn part(&self, part: T) -> Self {
        Self(part)
    }

    /// To be kept.
    #[inlined]
    pub(super) fn keep(self) -> T {
        self.0
    }
}
