//! Matrices and vectors whose elements stay in the surface or buffer that they were read from, or in a stack slot.
//!
//! Nothing is copied: a region is taken from the window, and the regions of neighbours are then often one run
//! of bytes (a block of 32 columns every 24, of which 24 are used). Every use asks again whether the launch
//! still runs, because safe code can keep such a block; it costs nothing that can be measured. What reads
//! takes the answer, a `Readable`.

use cm_macros::inlined;

use super::arrays::each;
use super::block::Blocks;
use super::readable::{Kept, Readable};
use crate::backend::Bounds;

/// The block of each of `N` threads, or a part of it, in memory for which the executor keeps `K`.
#[derive(Clone, Copy, Debug)]
pub struct InPlace<'a, K, const N: usize> {
    kept: K,
    blocks: Blocks<'a, N>,
    bounds: Bounds,
}

impl<'a, K: Kept, const N: usize> InPlace<'a, K, N> {
    /// `kept` is that of the blocks' memory.
    #[inlined]
    pub(super) fn new(kept: K, blocks: Readable<Blocks<'a, N>>) -> Self {
        Self { kept, blocks: blocks.keep(), bounds: Bounds::ALL }
    }

    /// The same, if all elements are between these bounds.
    #[inlined]
    pub(super) fn between(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// The range of the elements, as far as it is known.
    #[inlined]
    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// From these elements on, of linearised objects with rows of `columns` elements of `size` bytes.
    #[inlined]
    pub(super) fn from(&self, at: [usize; N], columns: usize, size: usize) -> Self {
        let Blocks { mut rows, mut bytes, .. } = self.blocks;
        each!(n < N => {
            rows[n] += at[n] / columns;
            bytes[n] += at[n] % columns * size;
        });
        Self { blocks: Blocks { rows, bytes, ..self.blocks }, ..*self }
    }

    /// Where the blocks are, or were.
    #[inlined]
    pub(super) fn blocks(&self) -> Blocks<'a, N> {
        self.blocks
    }

    /// The blocks, to be read now: whoever has kept them longer than their memory is refused.
    #[inlined]
    pub(super) fn readable(&self) -> Readable<Blocks<'a, N>> {
        Readable::again(self.kept, self.blocks)
    }
}
