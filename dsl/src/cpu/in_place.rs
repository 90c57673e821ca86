//! Matrices whose elements stay in the surface that they were read from.
//!
//! Nothing is copied: a region is taken from the window, and the regions of neighbours are then often one run
//! of bytes (a block of 32 columns every 24, of which 24 are used). Every use asks again whether the launch
//! still runs, because safe code can keep such a block; it costs nothing that can be measured. What reads
//! takes the answer, a `Readable`.

use std::marker::PhantomData;

use cm_macros::on_arrays;

use super::arrays::{Lanes, each};
use super::block::Blocks;
use super::checked::{Readable, SurfaceAccess};
use super::environment::{Cpu, Environment};
use super::{concat, lanes, strided};
use crate::backend::{Region, Storage, convert};
use crate::elem::Elem;

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
    fn from(&self, at: [usize; N], columns: usize, size: usize) -> Self {
        let Blocks { mut rows, mut bytes, .. } = self.blocks;
        each!(n < N => {
            rows[n] += at[n] / columns;
            bytes[n] += at[n] % columns * size;
        });
        Self { blocks: Blocks { rows, bytes, ..self.blocks }, ..*self }
    }

    /// The blocks, to be read now: whoever has kept them longer than the surface is refused.
    #[on_arrays]
    fn readable(&self) -> Readable<Blocks<'a, N>> {
        Readable::again(self.surface, self.blocks)
    }
}

/// The rows of regions are parts of rows: the macros take blocks of which others are taken to registers.
impl<'a, E: Environment, const N: usize> Storage<Cpu<E, N>> for InPlace<'a, E::Surface, N> {
    type Reg<T: Elem, const R: usize, const C: usize> = Self;

    #[inline(always)]
    fn load<T: Elem, const R: usize, const C: usize>(block: &Self) -> Self {
        *block
    }

    #[on_arrays]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        block: &Self,
        region: Region<Cpu<E, N>>,
    ) -> Lanes<T, N, R2, C2> {
        let Region { offset, row_stride, width, column_stride } = region;
        assert!(
            width == C2 && (R2 == 1 || row_stride.is_multiple_of(C)),
            "blocks read in place have regions whose rows are parts of theirs"
        );
        let (blocks, rows) =
            (block.from(lanes::positions(offset), C, size_of::<T>()).readable(), row_stride / C);
        if column_stride == 1 {
            return concat::windowed(blocks, rows);
        }
        macro_rules! strided {
            ($word:ty) => {
                if const { strided::fit::<$word, T>(C2, C) }
                    && column_stride * size_of::<T>() == size_of::<$word>()
                    && let Some(lanes) = strided::windowed::<$word, T, N, R2, C2>(&blocks, rows)
                {
                    return lanes;
                }
            };
        }
        strided!(u16);
        strided!(u32);
        strided!(u64);
        strided::picked(&blocks, rows, column_stride)
    }

    #[on_arrays]
    fn row<T: Elem, const R: usize, const C: usize>(block: &Self, row: Region<Cpu<E, N>>) -> Self {
        block.from(lanes::positions(row.offset), C, size_of::<T>())
    }
}

/// Elements of type `V`, stored as `S` stores them, which are converted when regions are read: registers of the wider type,
/// whose rows seldom start where vectors do, would be written and read again for every region.
#[derive(Clone, Copy, Debug)]
pub struct Converted<S, V>(PhantomData<(S, V)>);

impl<E: Environment, V: Elem, const N: usize, S: Storage<Cpu<E, N>>> Storage<Cpu<E, N>> for Converted<S, V> {
    type Reg<T: Elem, const R: usize, const C: usize> = S::Reg<V, R, C>;

    #[inline(always)]
    fn load<T: Elem, const R: usize, const C: usize>(x: &S::Reg<V, R, C>) -> S::Reg<V, R, C> {
        S::load::<V, R, C>(x)
    }

    #[on_arrays]
    fn region<T: Elem, const R: usize, const C: usize, const R2: usize, const C2: usize>(
        x: &S::Reg<V, R, C>,
        region: Region<Cpu<E, N>>,
    ) -> Lanes<T, N, R2, C2> {
        convert::<Cpu<E, N>, V, T, R2, C2>(S::region::<V, R, C, R2, C2>(x, region))
    }

    #[on_arrays]
    fn row<T: Elem, const R: usize, const C: usize>(
        x: &S::Reg<V, R, C>,
        row: Region<Cpu<E, N>>,
    ) -> S::Reg<V, 1, C> {
        S::row::<V, R, C>(x, row)
    }
}
