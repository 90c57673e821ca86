//! Blocks that are read where they lie, region by region.
//!
//! `#[kernel]` takes a block of a surface that the kernel only reads as one of these if nothing is done with it but selecting
//! regions: so the CPU need not copy it to registers first. Recorded it is what it would be else.
//!
//! ```
//! use cm::prelude::*;
//!
//! #[kernel]
//! fn beside(input: &Surface2D, output: &mut Surface2D) {
//!     let (x, y) = (thread_origin_x() * 24, thread_origin_y() * 4);
//!     let block = input.read::<u8, 4, 32>(x, y); // a `BlockRef`: of it only regions are used
//!     let sum: Matrix<u8, 4, 24> =
//!         (block.select::<4, 1, 24, 1>(0, 0) + block.select::<4, 1, 24, 1>(0, 3)).convert();
//!     output.write(x, y, &sum);
//! }
//! ```

use std::borrow::Borrow;
use std::fmt;

use cm_compiler::limits::media_block;

use crate::backend::{Backend, Region, require};
use crate::elem::Elem;
use crate::limits::{
    ColumnOffset, ElementRow, MediaRead, Offset, Position, RowOffset, Select, SelectElements, SelectOffset,
    Shape, linear,
};
use crate::registers::{Matrix, Vector, matrix_region, vector_region};
use crate::surface::{Coordinate, Surface};

/// A surface that nobody writes, and room for a block of it.
pub struct Reader<'a, B: Backend> {
    surface: &'a Surface<B>,
    room: &'a mut B::Room,
}

impl<B: Backend> fmt::Debug for Reader<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reader").field(&self.surface).finish()
    }
}

impl<'a, B: Backend> Reader<'a, B> {
    /// The surface is borrowed by the launch for reading. It is one, and does not only dereference to one.
    #[inline(always)]
    pub fn new(surface: &'a impl Borrow<Surface<B>>, room: &'a mut B::Room) -> Self {
        Self { surface: surface.borrow(), room }
    }

    /// [`Surface::read`].
    #[inline(always)]
    #[track_caller]
    pub fn read<T: Elem, const R: usize, const C: usize>(
        self,
        x: impl Coordinate<B>,
        y: impl Coordinate<B>,
    ) -> BlockRef<'a, T, R, C, B>
    where
        Shape<R, C>: MediaRead<T>,
    {
        self.read_any(x, y)
    }

    /// [`Surface::read_any`].
    #[inline(always)]
    #[track_caller]
    pub fn read_any<T: Elem, const R: usize, const C: usize>(
        self,
        x: impl Coordinate<B>,
        y: impl Coordinate<B>,
    ) -> BlockRef<'a, T, R, C, B> {
        require::<B>(const { media_block(R, C * T::TYPE.bytes()) });
        let (x, y) = (x.into_coordinate(), y.into_coordinate());
        BlockRef(B::media_block(self.surface.handle(), x, y, self.room))
    }
}

/// A block of a surface, read where it lies.
pub struct BlockRef<'a, T: Elem, const R: usize, const C: usize, B: Backend>(B::Block<'a, T, R, C>);

impl<T: Elem, const R: usize, const C: usize, B: Backend> Clone for BlockRef<'_, T, R, C, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Elem, const R: usize, const C: usize, B: Backend> Copy for BlockRef<'_, T, R, C, B> {}

impl<T: Elem, const R: usize, const C: usize, B: Backend> fmt::Debug for BlockRef<'_, T, R, C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockRef").finish_non_exhaustive()
    }
}

impl<T: Elem, const R: usize, const C: usize, B: Backend> BlockRef<'_, T, R, C, B> {
    /// [`Matrix::select`] of whole parts of rows: `HS` is 1.
    ///
    /// # Panics
    /// On the CPU, if `HS` is not 1.
    #[inline(always)]
    #[track_caller]
    pub fn select<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        &self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> Matrix<T, R2, C2, B>
    where
        Shape<R, C>: Select<R2, VS, C2, HS>,
    {
        self.select_any(i, j)
    }

    /// [`Matrix::select_any`] of whole parts of rows.
    ///
    /// # Panics
    /// On the CPU, if `HS` is not 1.
    #[inline(always)]
    #[track_caller]
    pub fn select_any<const R2: usize, const VS: usize, const C2: usize, const HS: usize>(
        &self,
        i: impl Offset<RowOffset<R, R2, VS>, B>,
        j: impl Offset<ColumnOffset<C, C2, HS>, B>,
    ) -> Matrix<T, R2, C2, B> {
        let region = matrix_region::<B, R, C, R2, VS, C2, HS>(i, j);
        Matrix::from_reg(B::block_region::<T, R, C, R2, C2>(&self.0, region))
    }

    /// [`Matrix::row`].
    #[inline(always)]
    #[track_caller]
    pub fn row(&self, i: impl Offset<ElementRow<R>, B>) -> RowRef<'_, T, C, B> {
        let row = Region::row(linear::<B>(i.position(), Position::Host(0), C), C);
        RowRef(B::block_row::<T, R, C>(&self.0, row))
    }
}

/// A row of such a block.
pub struct RowRef<'a, T: Elem, const N: usize, B: Backend>(B::Block<'a, T, 1, N>);

impl<T: Elem, const N: usize, B: Backend> Clone for RowRef<'_, T, N, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Elem, const N: usize, B: Backend> Copy for RowRef<'_, T, N, B> {}

impl<T: Elem, const N: usize, B: Backend> fmt::Debug for RowRef<'_, T, N, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowRef").finish_non_exhaustive()
    }
}

impl<T: Elem, const N: usize, B: Backend> RowRef<'_, T, N, B> {
    /// [`Vector::select`] of neighbours: `STRIDE` is 1.
    ///
    /// # Panics
    /// On the CPU, if `STRIDE` is not 1.
    #[inline(always)]
    #[track_caller]
    pub fn select<const SIZE: usize, const STRIDE: usize>(
        &self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> Vector<T, SIZE, B>
    where
        Shape<1, N>: SelectElements<SIZE, STRIDE>,
    {
        self.select_any(i)
    }

    /// [`Vector::select_any`] of neighbours.
    ///
    /// # Panics
    /// On the CPU, if `STRIDE` is not 1.
    #[inline(always)]
    #[track_caller]
    pub fn select_any<const SIZE: usize, const STRIDE: usize>(
        &self,
        i: impl Offset<SelectOffset<N, SIZE, STRIDE>, B>,
    ) -> Vector<T, SIZE, B> {
        let region = vector_region::<B, N, SIZE, STRIDE>(i);
        Vector::from_reg(B::block_region::<T, 1, N, 1, SIZE>(&self.0, region))
    }
}
