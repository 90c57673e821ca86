//! Blocks of surfaces and buffers that are too large for one message: they take several messages.

use cm_compiler::limits;
use cm_compiler::ops::AccessKind;
use cm_macros::op;

use crate::access::{media_read, media_write, oword_read, oword_write};
use crate::address::{ByteOffset, Coordinate};
use crate::backend::{Backend, Region, Start, require, require_object};
use crate::buffer::LinearBuffer;
use crate::elem::Elem;
use crate::limits::{Fits, Shape};
use crate::registers::{Matrix, Offset, Scalar, Vector};
use crate::surface::Surface;

/// `while`, whose first rounds are no loop: the compiler keeps in registers what it need not find out about loops.
macro_rules! while_few {
    ($condition:expr => $body:block) => {
        if $condition $body
        if $condition $body
        if $condition $body
        while $condition $body
    };
}

/// The body for each part of `$total`, from left to right: the largest legal sizes first, as often as they fit. The
/// body has the size as a constant.
macro_rules! parts {
    ([$($size:literal)*] of $total:expr; |$part:ident, $at:ident| if $legal:expr => $body:expr) => {{
        let mut $at = 0;
        $({
            // If twice the size is legal, at most one of this size is left.
            let single = const {
                #[allow(non_snake_case, reason = "it is a constant below")]
                let $part: usize = 2 * $size;
                $legal
            };
            {
                const $part: usize = $size;
                if const { $part <= $total && $legal } && $at + $part <= $total {
                    $body;
                    $at += $part;
                    while_few!(!single && $at + $part <= $total => {
                        $body;
                        $at += $part;
                    });
                }
            }
        })*
        $at
    }};
}

/// The body for all columns of `C` that one message can have, with their number as a constant.
macro_rules! media_columns {
    (|$columns:ident, $column:ident| $body:expr) => {
        parts!([64 32 16 8 4 2 1] of C; |$columns, $column| if is_media_block::<T>(1, $columns) => $body)
    };
}

/// The body for all rows of `R` that one message with `COLUMNS` can have.
///
/// Its function is not that of `media_columns`: with 28 x 28 copies of the body in one function, rustc takes 10 seconds.
macro_rules! media_rows {
    (|$rows:ident, $row:ident| $body:expr) => {
        parts!([64 32 16 8 4 2 1] of R; |$rows, $row| if is_media_block::<T>($rows, COLUMNS) => $body)
    };
}

/// The body for each part of `N` elements `T`.
macro_rules! oword_blocks {
    (|$elements:ident, $at:ident| $body:expr) => {
        parts!([128 64 32 16 8 4 2] of N; |$elements, $at| if is_oword_block::<T>($elements) => $body)
    };
}

const fn is_media_block<T: Elem>(rows: usize, columns: usize) -> bool {
    limits::media_block(rows, columns * T::TYPE.bytes()).is_ok()
}

const fn is_oword_block<T: Elem>(elements: usize) -> bool {
    limits::oword_write(elements * T::TYPE.bytes()).is_ok()
}

/// The region of `R2` x `C2` elements from this position on, in rows of `columns`.
fn part<B: Backend>(row: usize, column: usize, columns: usize, width: usize) -> Region<B> {
    let offset = Start::Host(row * columns + column);
    Region { offset, row_stride: columns, width, column_stride: 1 }
}

/// A coordinate plus a number of elements or rows.
#[op]
fn further<B: Backend>(x: Scalar<i32, B>, distance: usize) -> B::Reg<i32, 1, 1> {
    if distance == 0 { x.into_reg() } else { (x + distance as i32).into_reg() }
}

/// An offset in bytes plus a number of elements.
#[op]
fn further_on<B: Backend>(x: Scalar<u32, B>, distance: usize) -> B::Reg<u32, 1, 1> {
    if distance == 0 { x.into_reg() } else { (x + distance as u32).into_reg() }
}

/// Neighbouring elements of a buffer, in several messages.
#[op]
pub(crate) fn read_linear<B: Backend, T: Elem, const N: usize>(
    buffer: &B::Buffer,
    offset: B::Reg<u32, 1, 1>,
) -> B::Reg<T, 1, N> {
    let offset = Scalar::from_reg(offset);
    let mut all = B::undefined::<T, 1, N>();
    oword_blocks!(|ELEMENTS, at| {
        let offset = further_on::<B>(offset, at * T::TYPE.bytes());
        let read = oword_read::<B, T, ELEMENTS>(AccessKind::OwordRead, buffer, offset);
        let place = B::narrow::<T>(B::place(&mut all), N, part(0, at, N, ELEMENTS));
        B::store_place::<T, 1, ELEMENTS>(&mut { place }, read);
    });
    B::load(&all)
}

/// A block of any size: at once if the backend or one message can read it, otherwise in parts.
#[op]
pub(crate) fn read_block<B: Backend, T: Elem, const R: usize, const C: usize>(
    surface: &B::Surface,
    x: B::Reg<i32, 1, 1>,
    y: B::Reg<i32, 1, 1>,
) -> B::Reg<T, R, C> {
    if const { R * C * T::TYPE.bytes() <= B::LARGEST_READ || is_media_block::<T>(R, C) } {
        return media_read::<B, T, R, C>(surface, x, y);
    }
    let mut block = B::undefined::<T, R, C>();
    media_columns!(|COLUMNS, column| read_columns::<B, T, R, C, COLUMNS>(surface, x, y, column, &mut block));
    B::load(&block)
}

/// Some columns of a block, from the top to the bottom.
#[op]
fn read_columns<B: Backend, T: Elem, const R: usize, const C: usize, const COLUMNS: usize>(
    surface: &B::Surface,
    x: B::Reg<i32, 1, 1>,
    y: B::Reg<i32, 1, 1>,
    column: usize,
    block: &mut B::Reg<T, R, C>,
) {
    let (x, y) = (Scalar::from_reg(x), Scalar::from_reg(y));
    media_rows!(|ROWS, row| {
        let (x, y) = (further::<B>(x, column * T::TYPE.bytes()), further::<B>(y, row));
        let read = media_read::<B, T, ROWS, COLUMNS>(surface, x, y);
        let place = B::narrow::<T>(B::place(block), C, part(row, column, C, COLUMNS));
        B::store_place::<T, ROWS, COLUMNS>(&mut { place }, read);
    });
}

/// Some columns of a block, from the top to the bottom.
#[op]
fn write_columns<B: Backend, T: Elem, const R: usize, const C: usize, const COLUMNS: usize>(
    surface: &mut B::Surface,
    x: B::Reg<i32, 1, 1>,
    y: B::Reg<i32, 1, 1>,
    column: usize,
    block: &B::Reg<T, R, C>,
) {
    let (x, y) = (Scalar::from_reg(x), Scalar::from_reg(y));
    media_rows!(|ROWS, row| {
        let (x, y) = (further::<B>(x, column * T::TYPE.bytes()), further::<B>(y, row));
        let written = B::region::<T, R, C, ROWS, COLUMNS>(block, part(row, column, C, COLUMNS));
        media_write::<B, T, ROWS, COLUMNS>(surface, x, y, written);
    });
}

/// Blocks of any size, as several messages.
impl<B: Backend> Surface<B> {
    /// Reads a block of `R` rows of `C` elements of any size that fits the register file. CM: `cmtl::ReadBlock`.
    ///
    /// It is equivalent to several [`read`](Self::read)s, of as few blocks as the powers of two that add up to `R` and
    /// `C`. The rules for `x`, `y` and the edge are those of `read`. `x` counts bytes (in CM: texels).
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(input: &Surface2D, output: &mut Surface2D) {
    ///     let (x, y) = (thread_origin_x() * 96, thread_origin_y() * 20);
    ///     output.write_block(x, y, &input.read_block::<u8, 20, 96>(x, y)); // 1920 bytes
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let bytes: Vec<u8> = (0..192 * 40).map(|n| n as u8).collect();
    /// let input = Surface2D::from_bytes(&device, Format::R8, 192, 40, &bytes)?;
    /// let mut output = Surface2D::new(&device, Format::R8, 192, 40)?;
    /// copy::launch(&device, ThreadSpace::new(2, 2)?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, bytes);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn read_block<T: Elem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: Fits<T>,
    {
        self.read_block_any(x, y)
    }

    #[doc(hidden)]
    #[op]
    pub fn read_block_in<const FILE: usize, T: Elem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B>
    where
        Shape<R, C>: Fits<T, FILE>,
    {
        self.read_block_any(x, y)
    }

    /// [`read_block`](Self::read_block) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn read_block_any<T: Elem, const R: usize, const C: usize>(
        &self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B> {
        require_object::<B>(const { R * C * T::TYPE.bytes() });
        Matrix::from_reg(read_block::<B, T, R, C>(self.handle(), x.value(), y.value()))
    }

    /// Writes a matrix of any size. CM: `cmtl::WriteBlock`.
    ///
    /// It is equivalent to several [`write`](Self::write)s. The rules for `x`, `y` and the edge are those of `write`.
    /// The size of a row is a multiple of 4 bytes; this is checked when the kernel is recorded.
    /// [`read_block`](Self::read_block) has an example.
    #[op]
    pub fn write_block<T: Elem, const R: usize, const C: usize>(
        &mut self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
        block: &Matrix<T, R, C, B>,
    ) {
        require::<B>(const { limits::whole_dwords(C * T::TYPE.bytes()) });
        let (x, y, block) = (x.value(), y.value(), block.into_reg());
        let surface = self.handle_mut();
        media_columns!(|COLUMNS, column| write_columns::<B, T, R, C, COLUMNS>(surface, x, y, column, &block));
    }
}

/// Blocks of any size, as several messages.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// Reads `N` consecutive elements, starting at byte `offset`. CM: `cmtl::ReadLinear`.
    ///
    /// It is equivalent to several [`read`](Self::read)s of blocks of up to 128 bytes. The rules for `offset` are those
    /// of `read`. Bytes outside the buffer read as 0. The total size is a multiple of 16 bytes, which is checked when the
    /// kernel is recorded, not by `cargo check`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn copy(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    ///     let offset = thread_origin_x() * 400;
    ///     y.write_linear(offset, &x.read_linear::<100>(offset));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let numbers: Vec<f32> = (0..200).map(|n| n as f32).collect();
    /// let x = Buffer::from_slice(&device, &numbers)?;
    /// let mut y = Buffer::<f32>::new(&device, 200)?;
    /// copy::launch(&device, ThreadSpace::new(2, 1)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, numbers);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn read_linear<const N: usize>(&self, offset: impl Offset<ByteOffset<16>, B>) -> Vector<T, N, B>
    where
        Shape<1, N>: Fits<T>,
    {
        self.read_linear_any(offset)
    }

    #[doc(hidden)]
    #[op]
    pub fn read_linear_in<const FILE: usize, const N: usize>(
        &self,
        offset: impl Offset<ByteOffset<16>, B>,
    ) -> Vector<T, N, B>
    where
        Shape<1, N>: Fits<T, FILE>,
    {
        self.read_linear_any(offset)
    }

    /// [`read_linear`](Self::read_linear) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn read_linear_any<const N: usize>(&self, offset: impl Offset<ByteOffset<16>, B>) -> Vector<T, N, B> {
        require_object::<B>(const { N * T::TYPE.bytes() });
        require::<B>(const { limits::whole_owords(N * T::TYPE.bytes()) });
        Vector::from_reg(read_linear::<B, T, N>(self.handle(), offset.value()))
    }

    /// Writes a vector, starting at byte `offset`. CM: `cmtl::WriteLinear`.
    ///
    /// A matrix is written as a vector of its elements, row by row: `y.write_linear(0, &m.format::<f32>())`.
    ///
    /// It is equivalent to several [`write`](Self::write)s. The rules for `offset` are those of `write`. Out-of-bounds
    /// writes are dropped, byte by byte. The total size is a multiple of 16 bytes, which is checked when the kernel is
    /// recorded, not by `cargo check`.
    /// [`read_linear`](Self::read_linear) has an example.
    #[op]
    pub fn write_linear<const N: usize>(
        &mut self,
        offset: impl Offset<ByteOffset<16>, B>,
        elements: &Vector<T, N, B>,
    ) {
        require::<B>(const { limits::whole_owords(N * T::TYPE.bytes()) });
        let (offset, elements) = (Scalar::from_reg(offset.value()), elements.into_reg());
        oword_blocks!(|ELEMENTS, at| {
            let offset = further_on::<B>(offset, at * T::TYPE.bytes());
            let written = B::region::<T, 1, N, 1, ELEMENTS>(&elements, part(0, at, N, ELEMENTS));
            oword_write::<B, T, 1, ELEMENTS>(self.handle_mut(), offset, written);
        });
    }
}
