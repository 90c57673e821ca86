//! Surfaces in kernels: media block reads and writes.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use cm_compiler::ir::{Field, Part, Plane};
use cm_compiler::limits;
use cm_macros::{inlined, op};

use crate::access::{media_read, media_write, surface_handle};
use crate::address::Coordinate;
use crate::backend::{Backend, Region, Start, require};
use crate::elem::Elem;
use crate::limits::{Len, MediaRead, MediaWrite, Shape, TransposedElem, TransposedSide};
use crate::registers::{Matrix, Offset, Vector};

/// A two-dimensional surface in a kernel. CM: `SurfaceIndex` of an image.
///
/// In the signature of a kernel or function, write `&Surface2D` (read) or `&mut Surface2D` (read and write).
/// In the body the parameter has these methods. [`Surface2D`](../../cm/struct.Surface2D.html) describes how a
/// program creates and fills surfaces.
pub struct Surface<B: Backend> {
    handle: B::Surface,
}

surface_handle!(Surface);

/// A register that `write` accepts: a matrix, or a vector as one row.
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
    /// Writes the register.
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
    /// Reads a block of `R` rows of `C` elements. Its first element is at byte `x` of row `y`. CM:
    /// `read(surface, x, y, m)`.
    ///
    /// - `x` counts bytes, `y` counts rows. Both may be negative.
    /// - Reads beyond the edge repeat the nearest texel of the surface's format.
    /// - A row has at most 64 bytes. The block has at most 256 bytes, where each row counts as the next power of
    ///   two, at least 4. `cargo check` enforces both.
    /// - `let v: Vector<u8, 32> = surface.read(x, y)` reads one row.
    /// - `x` must be a multiple of the texel size, or of 4 in packed YUV. If `x` depends only on the thread's
    ///   coordinates, `launch` returns an error for other columns; otherwise the bytes at `x` are read unchanged.
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

    /// Reads a block of `R` rows of `C` elements and transposes it: element `(i, j)` of the result is element `i` of
    /// row `j`. CM: `read_transpose(surface, R, C, x, y, m)`.
    ///
    /// `x` counts bytes, `y` counts rows; the edge rule is that of [`read`](Self::read). The block has 1, 2, 4 or 8
    /// rows and columns of 4-byte elements; `cargo check` enforces this.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn transpose(input: &Surface2D, output: &mut Surface2D) {
    ///     let x = thread_origin_x() * 8;
    ///     output.write(0, x, &input.read_transpose::<u32, 4, 8>(x * 4, 0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let numbers: Vec<u32> = (0..16 * 4).collect();
    /// let input = Surface2D::from_bytes(&device, Format::R32, 16, 4, bytemuck::cast_slice(&numbers))?;
    /// let mut output = Surface2D::new(&device, Format::R32, 4, 16)?;
    /// transpose::launch(&device, ThreadSpace::new(2, 1)?, &input, &mut output)?;
    /// let transposed: Vec<u32> = (0..16).flat_map(|x| (0..4).map(move |y| y * 16 + x)).collect();
    /// assert_eq!(output.to_vec()?, bytemuck::cast_slice::<_, u8>(&transposed));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn read_transpose<T: TransposedElem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, C, R, B>
    where
        Len<R>: TransposedSide,
        Len<C>: TransposedSide,
    {
        self.read_transpose_any::<T, R, C>(x, y)
    }

    /// Writes a matrix, or a vector as one row. Its first element goes to byte `x` of row `y`. CM:
    /// `write(surface, x, y, m)`.
    ///
    /// - Out-of-bounds writes are dropped, byte by byte.
    /// - The bytes of the elements are written, whatever the format of the surface. The result of an operator on bytes
    ///   has `i32` elements: convert it, `&(a + b).convert::<u8>()`.
    /// - The limits are those of [`read`](Self::read). In addition, the size of a row is a multiple of 4 bytes.
    /// - `x` is a multiple of 4. If `x` is a host number or depends only on the thread's coordinates, this is checked
    ///   when the kernel is recorded, for all devices. Any other `x` is not checked: if it is not a multiple of 4, the CPU
    ///   writes at that byte, and the hardware of GPUs does not define the effect.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn fill(output: &mut Surface2D, value: u8) {
    ///     let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    ///     output.write(x, y, &Matrix::<u8, 4, 16>::splat(value));
    /// }
    ///
    /// let mut output = Surface2D::new(&Device::cpu()?, Format::R8, 18, 5)?;
    /// fill::launch(&Device::cpu()?, ThreadSpace::new(2, 2)?, &mut output, 7)?;
    /// assert_eq!(output.to_vec()?, [7; 90]); // the rest of the last blocks is dropped
    /// # Ok::<(), cm::Error>(())
    /// ```
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
}

/// Part of a surface for reading: a plane, a field, or a field of a plane. It has the methods of [`Surface`].
pub struct SurfaceView<'a, B: Backend> {
    part: Surface<B>,
    of: PhantomData<&'a Surface<B>>,
}

/// Part of a surface for reading and writing: a plane, a field, or a field of a plane. It has the methods of
/// [`Surface`].
pub struct SurfaceViewMut<'a, B: Backend> {
    part: Surface<B>,
    of: PhantomData<&'a mut Surface<B>>,
}

impl<B: Backend> fmt::Debug for SurfaceView<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SurfaceView").field(&self.part).finish()
    }
}

impl<B: Backend> fmt::Debug for SurfaceViewMut<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SurfaceViewMut").field(&self.part).finish()
    }
}

impl<B: Backend> Deref for SurfaceView<'_, B> {
    type Target = Surface<B>;

    #[inlined]
    fn deref(&self) -> &Surface<B> {
        &self.part
    }
}

impl<B: Backend> Deref for SurfaceViewMut<'_, B> {
    type Target = Surface<B>;

    #[inlined]
    fn deref(&self) -> &Surface<B> {
        &self.part
    }
}

impl<B: Backend> DerefMut for SurfaceViewMut<'_, B> {
    #[inlined]
    fn deref_mut(&mut self) -> &mut Surface<B> {
        &mut self.part
    }
}

/// Planes of pictures with separate luma and chroma: `Format::Nv12`, `P010`, `Yv12` and `I420`.
impl<B: Backend> Surface<B> {
    /// Returns a plane, with the methods of a surface: rows, columns and edges are those of the plane. CM: the plane
    /// argument of `read_plane` and `write_plane`.
    ///
    /// - [`Plane::Y`] of a format without planes is the whole surface. [`read`](Self::read) and
    ///   [`write`](Self::write) of a planar surface access its plane Y.
    /// - `launch` returns an error if the format of the surface lacks the plane.
    /// - A plane of another plane is an error when the kernel is recorded.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// The chroma of a block of 16 x 8 texels, both samples of each pair.
    /// #[kernel]
    /// fn chroma(picture: &Surface2D, output: &mut Surface2D) {
    ///     let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    ///     output.write(x, y, &picture.plane(Plane::Uv).read::<u8, 4, 16>(x, y));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut bytes = vec![16; 32 * 16]; // Y
    /// bytes.extend([100, 200].repeat(16 * 8)); // U and V alternating
    /// let picture = Surface2D::from_bytes(&device, Format::Nv12, 32, 16, &bytes)?;
    /// let mut output = Surface2D::new(&device, Format::R8, 32, 8)?;
    /// chroma::launch(&device, ThreadSpace::new(2, 2)?, &picture, &mut output)?;
    /// assert_eq!(output.to_vec()?, [100, 200].repeat(16 * 8));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn plane(&self, plane: Plane) -> SurfaceView<'_, B> {
        self.part(Part::Plane(plane))
    }

    /// Returns a plane for reading and writing: [`plane`](Self::plane) of `&mut Surface2D`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Removes the colours of 16 x 8 texels.
    /// #[kernel]
    /// fn remove_colours(picture: &mut Surface2D) {
    ///     let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    ///     picture.plane_mut(Plane::Uv).write(x, y, &Matrix::<u8, 4, 16>::splat(128));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut picture = Surface2D::from_bytes(&device, Format::Nv12, 16, 8, &[7; 192])?;
    /// remove_colours::launch(&device, ThreadSpace::new(1, 1)?, &mut picture)?;
    /// assert_eq!(picture.to_vec()?, [[7; 64], [7; 64], [128; 64]].concat());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn plane_mut(&mut self, plane: Plane) -> SurfaceViewMut<'_, B> {
        self.part_mut(Part::Plane(plane))
    }

    /// Reads a block of a plane: `self.plane(plane).read(x, y)`. CM: `read_plane(surface, plane, x, y, m)`.
    ///
    /// The limits are those of [`read`](Self::read), the planes those of [`plane`](Self::plane). `x` counts
    /// bytes, `y` counts rows of the plane. [`write_plane`](Self::write_plane) has an example.
    #[op]
    pub fn read_plane<T: Elem, const R: usize, const C: usize>(
        &self,
        plane: Plane,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: MediaRead<T>,
    {
        self.plane(plane).read_any(x, y)
    }

    /// Writes a block of a plane: `self.plane_mut(plane).write(x, y, block)`. CM:
    /// `write_plane(surface, plane, x, y, m)`.
    ///
    /// The rules are those of [`write`](Self::write), the planes those of [`plane`](Self::plane).
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// A grey picture: the same luma, and chroma of 128.
    /// #[kernel]
    /// fn grey(input: &Surface2D, output: &mut Surface2D) {
    ///     let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 8);
    ///     output.write_plane(Plane::Y, x, y, &input.read_plane::<u8, 8, 16>(Plane::Y, x, y));
    ///     output.write_plane(Plane::Uv, x, y / 2, &Matrix::<u8, 4, 16>::splat(128));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Surface2D::from_bytes(&device, Format::Nv12, 16, 8, &[7; 192])?;
    /// let mut output = Surface2D::new(&device, Format::Nv12, 16, 8)?;
    /// grey::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, [[7; 64], [7; 64], [128; 64]].concat());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn write_plane<M: SurfaceBlock<B>>(
        &mut self,
        plane: Plane,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) where
        M::Shape: MediaWrite<M::Elem>,
    {
        self.plane_mut(plane).write_any(x, y, block);
    }
}

/// Fields of interlaced pictures: every second row.
impl<B: Backend> Surface<B> {
    /// Returns the rows 0, 2, 4 and so on, with the methods of a surface: row `y` is row `2 * y` of the surface. CM:
    /// `TOP_FIELD(surface)`.
    ///
    /// - Reads beyond the edge repeat the first or the last row of the field; out-of-bounds writes are dropped.
    /// - A field of a plane is `surface.plane(plane).top_field()`. A field of a field is an error when the kernel
    ///   is recorded.
    /// - On a GPU each row takes one message.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Exchanges the fields.
    /// #[kernel]
    /// fn exchange(input: &Surface2D, output: &mut Surface2D) {
    ///     let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
    ///     output.top_field_mut().write(x, y, &input.bottom_field().read::<u8, 4, 16>(x, y));
    ///     output.bottom_field_mut().write(x, y, &input.top_field().read::<u8, 4, 16>(x, y));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Surface2D::from_bytes(&device, Format::R8, 16, 8, &[[1; 16], [2; 16]].concat().repeat(4))?;
    /// let mut output = Surface2D::new(&device, Format::R8, 16, 8)?;
    /// exchange::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, [[2; 16], [1; 16]].concat().repeat(4));
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn top_field(&self) -> SurfaceView<'_, B> {
        self.part(Part::Field(Field::Top))
    }

    /// Returns the rows 1, 3, 5 and so on: row `y` is row `2 * y + 1` of the surface. The rules are those of
    /// [`top_field`](Self::top_field). CM: `BOTTOM_FIELD(surface)`.
    ///
    /// `launch` returns an error if the surface has only one row. [`top_field`](Self::top_field) has an example.
    #[op]
    pub fn bottom_field(&self) -> SurfaceView<'_, B> {
        self.part(Part::Field(Field::Bottom))
    }

    /// Returns a field for reading and writing: [`top_field`](Self::top_field), which has an example, of
    /// `&mut Surface2D`.
    #[op]
    pub fn top_field_mut(&mut self) -> SurfaceViewMut<'_, B> {
        self.part_mut(Part::Field(Field::Top))
    }

    /// Returns a field for reading and writing: [`bottom_field`](Self::bottom_field) of `&mut Surface2D`.
    /// [`top_field`](Self::top_field) has an example.
    #[op]
    pub fn bottom_field_mut(&mut self) -> SurfaceViewMut<'_, B> {
        self.part_mut(Part::Field(Field::Bottom))
    }

    #[op]
    fn part(&self, part: Part) -> SurfaceView<'_, B> {
        SurfaceView { part: Self::new(B::part(&self.handle, part, false)), of: PhantomData }
    }

    #[op]
    fn part_mut(&mut self, part: Part) -> SurfaceViewMut<'_, B> {
        SurfaceViewMut { part: Self::new(B::part(&self.handle, part, true)), of: PhantomData }
    }
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<B: Backend> Surface<B> {
    /// [`read`](Self::read) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn read_any<T: Elem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        require::<B>(const { limits::media_block(R, C * T::TYPE.bytes()) });
        Matrix::from_reg(media_read::<B, T, R, C>(&self.handle, x.value(), y.value()))
    }

    /// [`read_transpose`](Self::read_transpose) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn read_transpose_any<T: Elem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, C, R, B> {
        require::<B>(const { limits::transposed(R, C, T::TYPE.bytes()) });
        let block = media_read::<B, T, R, C>(&self.handle, x.value(), y.value());
        let columns = Region { offset: Start::Host(0), row_stride: 1, width: R, column_stride: C };
        Matrix::from_reg(B::region::<T, R, C, C, R>(&block, columns))
    }

    /// [`write`](Self::write) without a bound. The block is checked when the kernel is recorded.
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

    /// [`read_plane`](Self::read_plane) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn read_plane_any<T: Elem, const R: usize, const C: usize>(
        &self,
        plane: Plane,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        self.plane(plane).read_any(x, y)
    }

    /// [`write_plane`](Self::write_plane) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn write_plane_any<M: SurfaceBlock<B>>(
        &mut self,
        plane: Plane,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
        block: &M,
    ) {
        self.plane_mut(plane).write_any(x, y, block);
    }
}
