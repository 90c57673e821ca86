//! Matrices whose elements stay in the surface that they were read from.
//!
//! Nothing is copied: a region is taken from the window, and the regions of neighbours are then often one run
//! of bytes (a block of 32 columns every 24, of which 24 are used). Every use asks again whether the launch
//! still runs, because safe code can keep such a block; it costs nothing that can be measured. What reads
//! takes the answer, a `Readable`.

use cm_macros::on_arrays;

use super::arrays::each;
use super::block::Blocks;
use super::checked_surface::{Readable, SurfaceAccess};

/// The block of each of `N` threads in a surface of type `S`, or a part of it.
#[derive(Debug)]
pub struct InPlace<'a, S, const N: usize> {
    surface: &'a S,
    blocks: Blocks<'a, N>,
}

impl<S, const N: usize> Clone for InPlace<'_, S, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, const N: usize> Copy for InPlace<'_, S, N> {}

impl<'a, S: SurfaceAccess, const N: usize> InPlace<'a, S, N> {
    #[on_arrays]
    pub(super) fn new(surface: &'a S, blocks: Readable<Blocks<'a, N>>) -> Self {
        Self { surface, blocks: blocks.keep() }
    }

    /// From these elements on, of linearised objects with rows of `columns` elements of `size` bytes.
    #[on_arrays]
    pub(super) fn from(&self, at: [usize; N], columns: usize, size: usize) -> Self {
        let Blocks { mut rows, mut bytes, .. } = self.blocks;
        each!(n < N => {
            rows[n] += at[n] / columns;
            bytes[n] += at[n] % columns * size;
        });
        Self { blocks: Blocks { rows, bytes, ..self.blocks }, ..*self }
    }

    /// Where the blocks are, or were.
    #[on_arrays]
    pub(super) fn blocks(&self) -> Blocks<'a, N> {
        self.blocks
    }

    /// The blocks, to be read now: whoever has kept them longer than the surface is refused.
    #[on_arrays]
    pub(super) fn readable(&self) -> Readable<Blocks<'a, N>> {
        Readable::again(self.surface, self.blocks)
    }
}
