//! Surfaces as kernels see them: media block reads and writes.

use std::fmt;

use cm_compiler::limits;
use cm_macros::op;

use crate::access::{media_read, media_write};
use crate::address::Coordinate;
use crate::backend::{Backend, require};
use crate::elem::Elem;
use crate::limits::{MediaRead, MediaWrite, Shape};
use crate::registers::{Matrix, Offset, Vector};

/// A two-dimensional surface inside a kernel: CM's `SurfaceIndex` of an image.
///
/// In a kernel's signature it is written `&Surface2D` (readable) or `&mut Surface2D` (readable and writable).
pub struct Surface<B: Backend> {
    handle: B::Surface,
}

impl<B: Backend> fmt::Debug for Surface<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Surface").field(&self.handle).finish()
    }
}

/// A register that `write` takes: a matrix, or a vector as one row.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a block that can be written",
    label = "not a register",
    note = "write takes a reference to a matrix or a vector: `surface.write(x, y, &m)`",
    note = "a helper that gives a register to a kernel needs `#[function]`"
)]
pub trait SurfaceBlock<B: Backend>: Copy {
    /// Its element type.
    type Elem: Elem;
    /// Its rows and columns.
    type Shape;
    /// Writes it.
    #[doc(hidden)]
    #[track_caller]
    fn write_to(self, surface: &mut B::Surface, x: B::Reg<i32, 1, 1>, y: B::Reg<i32, 1, 1>);
    /// Rows, and bytes of a row.
    #[doc(hidden)]
    const SIZE: (usize, usize);
}

impl<T: Elem, const R: usize, const C: usize, B: Backend> SurfaceBlock<B> for Matrix<T, R, C, B> {
    type Elem = T;
    type Shape = Shape<R, C>;
    const SIZE: (usize, usize) = (R, C * T::TYPE.bytes());

    #[op]
    fn write_to(self, surface: &mut B::Surface, x: B::Reg<i32, 1, 1>, y: B::Reg<i32, 1, 1>) {
        media_write::<B, T, R, C>(surface, x, y, self.into_reg());
    }
}

impl<T: Elem, const N: usize, B: Backend> SurfaceBlock<B> for Vector<T, N, B> {
    type Elem = T;
    type Shape = Shape<1, N>;
    const SIZE: (usize, usize) = (1, N * T::TYPE.bytes());

    #[op]
    fn write_to(self, surface: &mut B::Surface, x: B::Reg<i32, 1, 1>, y: B::Reg<i32, 1, 1>) {
        media_write::<B, T, 1, N>(surface, x, y, self.into_reg());
    }
}

impl<B: Backend> Surface<B> {
    /// A surface argument of a backend.
    #[inline(always)]
    pub fn new(handle: B::Surface) -> Self {
        Self { handle }
    }

    #[inline(always)]
    pub(crate) fn handle(&self) -> &B::Surface {
        &self.handle
    }

    #[inline(always)]
    pub(crate) fn handle_mut(&mut self) -> &mut B::Surface {
        &mut self.handle
    }

    /// Reads the `R` x `C` block whose first element is at byte column `x` of row `y`. CM:
    /// `read(surface, x, y, m)`.
    ///
    /// `x` counts bytes, `y` rows; both may be negative. Positions outside repeat the nearest edge texel, by
    /// the size of the surface's texels. A row takes at most 64 bytes, and the rows times the row pitch (the
    /// next power of two, at least 4) at most 256. Blocks start at whole texels, in packed YUV at pairs;
    /// columns that depend on the thread's coordinates only are checked at the launch, others give the bytes
    /// as they lie.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn flip_rows(input: &Surface2D, output: &mut Surface2D) {
    ///     let y = thread_origin_y();
    ///     let rows = input.read::<u8, 2, 32>(0, y * 2);
    ///     output.write(0, y * 2, &rows.row(1));
    ///     output.write(0, y * 2 + 1, &rows.row(0));
    /// }
    /// ```
    #[op]
    pub fn read<T: Elem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: MediaRead<T>,
    {
        self.read_any(x, y)
    }

    /// [`read`](Self::read) without a bound: the block is checked when the kernel is recorded.
    #[op]
    pub fn read_any<T: Elem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        require::<B>(const { limits::media_block(R, C * T::TYPE.bytes()) });
        Matrix::from_reg(media_read::<B, T, R, C>(&self.handle, x.value(), y.value()))
    }

    /// Writes a block to byte column `x` of row `y`; what lies outside is dropped. CM:
    /// `write(surface, x, y, m)`.
    ///
    /// The limits are those of [`read`](Self::read), and a row takes a multiple of 4 bytes. On the GPU `x`
    /// must be a multiple of 4 too.
    #[op]
    pub fn write<M: SurfaceBlock<B>>(
        &mut self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) where
        M::Shape: MediaWrite<M::Elem>,
    {
        self.write_any(x, y, block);
    }

    /// [`write`](Self::write) without a bound: the block is checked when the kernel is recorded.
    #[op]
    pub fn write_any<M: SurfaceBlock<B>>(
        &mut self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) {
        require::<B>(const { limits::media_write(M::SIZE.0, M::SIZE.1) });
        block.write_to(&mut self.handle, x.value(), y.value());
    }
}
