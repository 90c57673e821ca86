//! Block reads and writes of buffers and surfaces.

use cm_compiler::limits;
use cm_compiler::ops::AccessKind;
use cm_macros::op;

use super::exchange::put;
use crate::access::{media_read, media_write, oword_read, oword_write};
use crate::address::{ByteOffset, Coordinate, WriteColumn};
use crate::backend::{Backend, Region, Start};
use crate::buffer::LinearBuffer;
use crate::limits::{Len, SubGroup};
use crate::registers::{Matrix, Offset, Scalar, Vector};
use crate::surface::Surface;

/// Memory that a block can be read from at address `A`: a `Buffer<u32>` at an offset in bytes, or a surface
/// at `(x, y)`, x in bytes and y in rows.
#[diagnostic::on_unimplemented(
    message = "a block cannot be read from this",
    label = "not a `Buffer<u32>` at an offset, nor a surface at `(x, y)`",
    note = "`sub_group_block_read(buffer, offset)`, the offset in bytes, or `sub_group_block_read(surface, \
            (x, y))`, x in bytes and y in rows"
)]
pub trait BlockRead<A, B: Backend> {
    /// `K` rows of `N` dwords.
    #[doc(hidden)]
    #[track_caller]
    fn read_rows<const K: usize, const N: usize>(&self, at: A) -> B::Reg<u32, K, N>;
}

/// Memory that a block can be written to at address `A`: a `Buffer<u32>` at an offset in bytes, or a surface
/// at `(x, y)`, x in bytes and y in rows.
#[diagnostic::on_unimplemented(
    message = "a block cannot be written to this",
    label = "not a `Buffer<u32>` at an offset, nor a surface at `(x, y)`",
    note = "`sub_group_block_write(buffer, offset, data)`, the offset in bytes, or \
            `sub_group_block_write(surface, (x, y), data)`, x in bytes and y in rows"
)]
pub trait BlockWrite<A, B: Backend> {
    /// `K` rows of `N` dwords.
    #[doc(hidden)]
    #[track_caller]
    fn write_rows<const K: usize, const N: usize>(&mut self, at: A, rows: B::Reg<u32, K, N>);
}

/// Dwords of the largest block of a buffer.
const PIECE: usize = limits::OWORD_BLOCK / 4;

/// Dwords of the widest row of a media block.
const ROW: usize = limits::MEDIA_WIDTH / 4;

/// Whether `K` rows of `N` dwords are one media block.
const fn is_block(k: usize, n: usize) -> bool {
    limits::media_block(k, n * 4).is_ok()
}

/// `at + by`.
#[op]
fn plus<B: Backend>(at: B::Reg<u32, 1, 1>, by: usize) -> B::Reg<u32, 1, 1> {
    if by == 0 { at } else { (Scalar::<u32, B>::from_reg(at) + by as u32).into_reg() }
}

/// `at + by` of coordinates.
#[op]
fn moved<B: Backend>(at: B::Reg<i32, 1, 1>, by: usize) -> B::Reg<i32, 1, 1> {
    if by == 0 { at } else { (Scalar::<i32, B>::from_reg(at) + by as i32).into_reg() }
}

/// `C` dwords from `at` on, as rows.
#[op]
fn whole_block<const C: usize, const K: usize, const N: usize, B: Backend>(
    buffer: &B::Buffer,
    at: B::Reg<u32, 1, 1>,
) -> B::Reg<u32, K, N> {
    let block = oword_read::<B, u32, C>(AccessKind::OwordReadDwaligned, buffer, at);
    B::format::<u32, u32, 1, C, K, N>(&block)
}

impl<A: Offset<ByteOffset<4>, B>, B: Backend> BlockRead<A, B> for LinearBuffer<u32, B> {
    #[op]
    fn read_rows<const K: usize, const N: usize>(&self, at: A) -> B::Reg<u32, K, N> {
        let at = at.value();
        match K * N {
            8 => return whole_block::<8, K, N, B>(self.handle(), at),
            16 => return whole_block::<16, K, N, B>(self.handle(), at),
            PIECE => return whole_block::<PIECE, K, N, B>(self.handle(), at),
            // Both numbers are powers of two, so larger blocks are whole pieces.
            _ => {}
        }
        let mut rows = B::undefined::<u32, K, N>();
        for piece in 0..K * N / PIECE {
            let from = plus::<B>(at, piece * PIECE * 4);
            let block = oword_read::<B, u32, PIECE>(AccessKind::OwordReadDwaligned, self.handle(), from);
            let mut place = B::format_place::<u32>(B::place::<u32, K, N>(&mut rows), PIECE);
            place = B::narrow::<u32>(place, PIECE, Region::row(Start::Host(piece * PIECE), PIECE));
            B::store_place::<u32, 1, PIECE>(&mut place, block);
        }
        B::load::<u32, K, N>(&rows)
    }
}

impl<A: Offset<ByteOffset<16>, B>, B: Backend> BlockWrite<A, B> for LinearBuffer<u32, B> {
    #[op]
    fn write_rows<const K: usize, const N: usize>(&mut self, at: A, rows: B::Reg<u32, K, N>) {
        let at = at.value();
        if K * N <= PIECE {
            return oword_write::<B, u32, K, N>(self.handle_mut(), at, rows);
        }
        for piece in 0..K * N / PIECE {
            let region = Region::row(Start::Host(piece * PIECE), PIECE);
            let block = B::region::<u32, K, N, 1, PIECE>(&rows, region);
            oword_write::<B, u32, 1, PIECE>(self.handle_mut(), plus::<B>(at, piece * PIECE * 4), block);
        }
    }
}

/// Reads a part of `rows`, `R` x `C` dwords from row `i` and column `j` on.
#[op]
fn read_part<const R: usize, const C: usize, const K: usize, const N: usize, B: Backend>(
    surface: &B::Surface,
    (x, y): (B::Reg<i32, 1, 1>, B::Reg<i32, 1, 1>),
    (i, j): (usize, usize),
    rows: &mut B::Reg<u32, K, N>,
) {
    let part = media_read::<B, u32, R, C>(surface, moved::<B>(x, j * 4), moved::<B>(y, i));
    put::<u32, K, N, R, C, B>(rows, i * N + j, part);
}

/// Writes a part of `rows`, like the read above.
#[op]
fn write_part<const R: usize, const C: usize, const K: usize, const N: usize, B: Backend>(
    surface: &mut B::Surface,
    (x, y): (B::Reg<i32, 1, 1>, B::Reg<i32, 1, 1>),
    (i, j): (usize, usize),
    rows: &B::Reg<u32, K, N>,
) {
    let region = Region { offset: Start::Host(i * N + j), row_stride: N, width: C, column_stride: 1 };
    let part = B::region::<u32, K, N, R, C>(rows, region);
    media_write::<B, u32, R, C>(surface, moved::<B>(x, j * 4), moved::<B>(y, i), part);
}

impl<X: Offset<Coordinate, B>, Y: Offset<Coordinate, B>, B: Backend> BlockRead<(X, Y), B> for Surface<B> {
    #[op]
    fn read_rows<const K: usize, const N: usize>(&self, (x, y): (X, Y)) -> B::Reg<u32, K, N> {
        let at = (x.value(), y.value());
        if const { is_block(K, N) } {
            return media_read::<B, u32, K, N>(self.handle(), at.0, at.1);
        }
        let mut rows = B::undefined::<u32, K, N>();
        for j in (0..N).step_by(ROW) {
            // Rows of 64 bytes: a block of 256 has four of them.
            if K == 8 {
                read_part::<4, ROW, K, N, B>(self.handle(), at, (0, j), &mut rows);
                read_part::<4, ROW, K, N, B>(self.handle(), at, (4, j), &mut rows);
            } else {
                read_part::<K, ROW, K, N, B>(self.handle(), at, (0, j), &mut rows);
            }
        }
        B::load::<u32, K, N>(&rows)
    }
}

impl<X: Offset<WriteColumn, B>, Y: Offset<Coordinate, B>, B: Backend> BlockWrite<(X, Y), B> for Surface<B> {
    #[op]
    fn write_rows<const K: usize, const N: usize>(&mut self, (x, y): (X, Y), rows: B::Reg<u32, K, N>) {
        let at = (x.value(), y.value());
        if const { is_block(K, N) } {
            return media_write::<B, u32, K, N>(self.handle_mut(), at.0, at.1, rows);
        }
        for j in (0..N).step_by(ROW) {
            if K == 8 {
                write_part::<4, ROW, K, N, B>(self.handle_mut(), at, (0, j), &rows);
                write_part::<4, ROW, K, N, B>(self.handle_mut(), at, (4, j), &rows);
            } else {
                write_part::<K, ROW, K, N, B>(self.handle_mut(), at, (0, j), &rows);
            }
        }
    }
}

/// Reads one dword for each work item. OpenCL: `intel_sub_group_block_read(p)` and `(image, byte_coord)`.
///
/// From a buffer, work item `id` receives dword `id` after byte `at`:
///
/// - `at` counts bytes and is a multiple of 4. OpenCL's `p + i` is the offset `4 * i`.
/// - `cargo check` checks literals. Host numbers, and scalars that depend only on the thread's coordinates,
///   are checked when the kernel is [recorded]. The lowest 2 bits of other scalars are ignored.
/// - Dwords outside the buffer read as 0.
/// - The buffer has elements `u32`. For floats, use `.format::<f32>()` on the result.
///
/// From a surface, work item `id` receives dword `id` of row y, counted from byte x. `at` is `(x, y)`, x in
/// bytes. The rules are those of [`Surface::read`]; reads beyond the edge repeat the nearest texel.
///
/// [recorded]: ../../cm/guide/glossary/index.html#recorded
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::*;
///
/// /// Sums 16 neighbours.
/// #[kernel]
/// fn sums(input: &Buffer<u32>, output: &mut Buffer<u32>) {
///     let x: Vector<u32, 16> = sub_group_block_read(input, thread_origin_x() * 64);
///     let sum = Vector::<u32, 16>::splat(sub_group_reduce_add(x));
///     sub_group_block_write(output, thread_origin_x() * 64, sum);
/// }
///
/// let device = Device::cpu()?;
/// let input = Buffer::from_slice(&device, &(0..16).collect::<Vec<u32>>())?;
/// let mut output = Buffer::new(&device, 16)?;
/// sums::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
/// assert_eq!(output.to_vec()?, [120u32; 16]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn sub_group_block_read<const N: usize, A, B: Backend>(
    source: &impl BlockRead<A, B>,
    at: A,
) -> Vector<u32, N, B>
where
    Len<N>: SubGroup,
{
    Vector::from_reg(source.read_rows::<1, N>(at))
}

/// Writes one dword of each work item. OpenCL: `intel_sub_group_block_write(p, data)` and
/// `(image, byte_coord, data)`.
///
/// The dwords go to the positions where [`sub_group_block_read`] reads them. In a buffer, `at` is a multiple of 16; in
/// a surface, x is a multiple of 4. Out-of-bounds writes are dropped.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::*;
///
/// #[kernel]
/// fn numbers(output: &mut Surface2D) {
///     let id: Vector<u32, 8> = sub_group_local_id();
///     sub_group_block_write(output, (0, thread_origin_y()), id);
/// }
///
/// let mut output = Surface2D::new(&Device::cpu()?, Format::R32, 8, 1)?;
/// numbers::launch(&Device::cpu()?, ThreadSpace::new(1, 1)?, &mut output)?;
/// assert_eq!(output.to_vec()?[24..], [6, 0, 0, 0, 7, 0, 0, 0]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn sub_group_block_write<const N: usize, A, B: Backend>(
    target: &mut impl BlockWrite<A, B>,
    at: A,
    data: Vector<u32, N, B>,
) where
    Len<N>: SubGroup,
{
    target.write_rows::<1, N>(at, data.into_reg());
}

macro_rules! vectors {
    ($($(#[$read_doc:meta])* $read:ident, $(#[$write_doc:meta])* $write:ident: $k:literal;)*) => {$(
        $(#[$read_doc])*
        #[op]
        pub fn $read<const N: usize, A, B: Backend>(source: &impl BlockRead<A, B>, at: A) -> Matrix<u32, $k, N, B>
        where
            Len<N>: SubGroup,
        {
            Matrix::from_reg(source.read_rows::<$k, N>(at))
        }

        $(#[$write_doc])*
        #[op]
        pub fn $write<const N: usize, A, B: Backend>(
            target: &mut impl BlockWrite<A, B>,
            at: A,
            data: Matrix<u32, $k, N, B>,
        ) where
            Len<N>: SubGroup,
        {
            target.write_rows::<$k, N>(at, data.into_reg());
        }
    )*};
}

vectors! {
    /// Reads a `uint2` for each work item, as a matrix of 2 rows. OpenCL: `intel_sub_group_block_read2`.
    ///
    /// Component `k` is dword `id + k * N` after byte `at` of a buffer, or dword `id` of row `y + k` of a
    /// surface. The rules are those of [`sub_group_block_read`].
    sub_group_block_read2,
    /// Writes a `uint2` of each work item to where [`sub_group_block_read2`] reads it. OpenCL:
    /// `intel_sub_group_block_write2`.
    ///
    /// The rules are those of [`sub_group_block_write`].
    sub_group_block_write2: 2;
    /// Reads a `uint4` for each work item, as a matrix of 4 rows. OpenCL: `intel_sub_group_block_read4`.
    ///
    /// Component `k` is dword `id + k * N` after byte `at` of a buffer, or dword `id` of row `y + k` of a
    /// surface. The rules are those of [`sub_group_block_read`].
    sub_group_block_read4,
    /// Writes a `uint4` of each work item to where [`sub_group_block_read4`] reads it. OpenCL:
    /// `intel_sub_group_block_write4`.
    ///
    /// The rules are those of [`sub_group_block_write`].
    sub_group_block_write4: 4;
    /// Reads a `uint8` for each work item, as a matrix of 8 rows. OpenCL: `intel_sub_group_block_read8`.
    ///
    /// Component `k` is dword `id + k * N` after byte `at` of a buffer, or dword `id` of row `y + k` of a
    /// surface. The rules are those of [`sub_group_block_read`].
    sub_group_block_read8,
    /// Writes a `uint8` of each work item to where [`sub_group_block_read8`] reads it. OpenCL:
    /// `intel_sub_group_block_write8`.
    ///
    /// The rules are those of [`sub_group_block_write`].
    sub_group_block_write8: 8;
}
