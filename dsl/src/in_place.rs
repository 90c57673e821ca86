//! Blocks that are read in place, region by region.
//!
//! If a kernel only selects rows and regions of a block of a read-only surface or buffer, or combines them or the whole
//! block by arithmetic operators, `#[kernel]` makes it such a block, so that the CPU need not copy it to registers
//! first. The recording does not change. The same applies to rows with names, and to a block of 8 or 16-bit
//! integers, or long rows of it, that are only converted and then used so.
//!
//! ```
//! use cm::prelude::*;
//!
//! #[kernel]
//! fn beside(input: &Surface2D, output: &mut Surface2D) {
//!     let (x, y) = (thread_origin_x() * 24, thread_origin_y() * 4);
//!     let block = input.read::<u8, 4, 32>(x, y); // `InMemory`: only regions of it are used
//!     let sum: Matrix<u8, 4, 24> =
//!         (block.select::<4, 1, 24, 1>(0, 0) + block.select::<4, 1, 24, 1>(0, 3)).convert();
//!     output.write(x, y, &sum);
//! }
//! ```

use std::fmt;

use cm_compiler::limits::{self, OWORD_BLOCK, media_block, whole_owords};
use cm_compiler::ops::AccessKind;
use cm_macros::{inlined, op};

use crate::address::{ByteOffset, Coordinate};
use crate::backend::{Backend, Staged, Storage, require, require_object};
use crate::buffer::LinearBuffer;
use crate::elem::Elem;
use crate::limits::{Fits, MediaRead, OwordRead, Shape};
use crate::registers::{Matrix, Offset, Vector};
use crate::stage::Enters;
use crate::surface::Surface;

/// A surface or buffer whose blocks can be read in place. A type that dereferences to one has its own `read`.
#[diagnostic::on_unimplemented(
    message = "this argument has the type name of a surface or buffer of this library, but is another type: `{Self}`",
    label = "not a surface or buffer",
    note = "`#[kernel]` recognises surfaces and buffers by their names, `Surface2D` and `Buffer`: give the other type \
            another name"
)]
pub trait ReadInPlace<B: Backend> {
    /// It, and scratch space for a block of it.
    type Reader<'a>
    where
        Self: 'a;
    /// What reads blocks of it, for as long as the launch borrows it.
    fn reader<'a>(&'a self, scratch: &'a mut B::Scratch) -> Self::Reader<'a>;
}

/// The reader of a surface or buffer.
#[inlined]
pub fn reader<'a, B: Backend, M: ReadInPlace<B>>(
    memory: &'a M,
    scratch: &'a mut B::Scratch,
) -> M::Reader<'a> {
    memory.reader(scratch)
}

impl<B: Backend> ReadInPlace<B> for Surface<B> {
    type Reader<'a> = Reader<'a, B>;
    #[inlined]
    fn reader<'a>(&'a self, scratch: &'a mut B::Scratch) -> Reader<'a, B> {
        Reader { surface: self, scratch }
    }
}

impl<T: Elem, B: Backend> ReadInPlace<B> for LinearBuffer<T, B> {
    type Reader<'a> = LinearReader<'a, T, B>;
    #[inlined]
    fn reader<'a>(&'a self, scratch: &'a mut B::Scratch) -> LinearReader<'a, T, B> {
        LinearReader { buffer: self, scratch }
    }
}

/// A read-only surface, and scratch space for a block of it.
pub struct Reader<'a, B: Backend> {
    surface: &'a Surface<B>,
    scratch: &'a mut B::Scratch,
}

impl<B: Backend> fmt::Debug for Reader<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reader").field(&self.surface).finish()
    }
}

impl<'a, B: Backend> Reader<'a, B> {
    /// [`Surface::read`].
    #[op]
    pub fn read<T: Elem, const R: usize, const C: usize>(
        self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B, B::InMemory<'a>>
    where
        Shape<R, C>: MediaRead<T>,
    {
        self.read_any(x, y)
    }

    /// [`Surface::read_block`], of at most [`LARGEST_READ`](crate::cpu::LARGEST_READ) bytes.
    #[op]
    pub fn read_block<T: Elem, const R: usize, const C: usize>(
        self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B, B::InMemory<'a>>
    where
        Shape<R, C>: Fits<T>,
    {
        self.read_block_any(x, y)
    }

    #[doc(hidden)]
    #[op]
    pub fn read_block_in<const FILE: usize, T: Elem, const R: usize, const C: usize>(
        self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B, B::InMemory<'a>>
    where
        Shape<R, C>: Fits<T, FILE>,
    {
        self.read_block_any(x, y)
    }

    /// [`Surface::read_block_any`], of at most as many bytes.
    #[op]
    pub fn read_block_any<T: Elem, const R: usize, const C: usize>(
        self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B, B::InMemory<'a>> {
        require_object::<B>(const { R * C * T::TYPE.bytes() });
        let (x, y) = (x.value(), y.value());
        Matrix::from_storage(B::media_block::<T, R, C>(self.surface.handle(), x, y, self.scratch))
    }

    /// [`Surface::read_any`].
    #[op]
    pub fn read_any<T: Elem, const R: usize, const C: usize>(
        self,
        x: impl Offset<Coordinate, B>,
        y: impl Offset<Coordinate, B>,
    ) -> Matrix<T, R, C, B, B::InMemory<'a>> {
        require::<B>(const { media_block(R, C * T::TYPE.bytes()) });
        let (x, y) = (x.value(), y.value());
        Matrix::from_storage(B::media_block::<T, R, C>(self.surface.handle(), x, y, self.scratch))
    }
}

/// A read-only buffer, and scratch space for a block of it.
pub struct LinearReader<'a, T: Elem, B: Backend> {
    buffer: &'a LinearBuffer<T, B>,
    scratch: &'a mut B::Scratch,
}

impl<T: Elem, B: Backend> fmt::Debug for LinearReader<'_, T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LinearReader").field(&self.buffer).finish()
    }
}

impl<'a, T: Elem, B: Backend> LinearReader<'a, T, B> {
    /// [`LinearBuffer::read`].
    #[op]
    pub fn read<const N: usize>(
        self,
        offset: impl Offset<ByteOffset<16>, B>,
    ) -> Vector<T, N, B, B::InMemory<'a>>
    where
        Shape<1, N>: OwordRead<T>,
    {
        self.read_any(offset)
    }

    /// [`LinearBuffer::read_dwaligned`].
    #[op]
    pub fn read_dwaligned<const N: usize>(
        self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) -> Vector<T, N, B, B::InMemory<'a>>
    where
        Shape<1, N>: OwordRead<T>,
    {
        self.read_dwaligned_any(offset)
    }

    /// [`LinearBuffer::read_linear`], of at most [`LARGEST_READ`](crate::cpu::LARGEST_READ) bytes.
    #[op]
    pub fn read_linear<const N: usize>(
        self,
        offset: impl Offset<ByteOffset<16>, B>,
    ) -> Vector<T, N, B, B::InMemory<'a>>
    where
        Shape<1, N>: Fits<T>,
    {
        self.read_linear_any(offset)
    }

    #[doc(hidden)]
    #[op]
    pub fn read_linear_in<const FILE: usize, const N: usize>(
        self,
        offset: impl Offset<ByteOffset<16>, B>,
    ) -> Vector<T, N, B, B::InMemory<'a>>
    where
        Shape<1, N>: Fits<T, FILE>,
    {
        self.read_linear_any(offset)
    }

    /// [`LinearBuffer::read_any`].
    #[op]
    pub fn read_any<const N: usize>(
        self,
        offset: impl Offset<ByteOffset<16>, B>,
    ) -> Vector<T, N, B, B::InMemory<'a>> {
        self.message(AccessKind::OwordRead, offset.value())
    }

    /// [`LinearBuffer::read_dwaligned_any`].
    #[op]
    pub fn read_dwaligned_any<const N: usize>(
        self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) -> Vector<T, N, B, B::InMemory<'a>> {
        self.message(AccessKind::OwordReadDwaligned, offset.value())
    }

    /// [`LinearBuffer::read_linear_any`], of at most as many bytes.
    #[op]
    pub fn read_linear_any<const N: usize>(
        self,
        offset: impl Offset<ByteOffset<16>, B>,
    ) -> Vector<T, N, B, B::InMemory<'a>> {
        require_object::<B>(const { N * T::TYPE.bytes() });
        require::<B>(const { whole_owords(N * T::TYPE.bytes()) });
        self.block(AccessKind::OwordRead, OWORD_BLOCK, offset.value())
    }

    #[op]
    fn message<const N: usize>(
        self,
        kind: AccessKind,
        offset: B::Reg<u32, 1, 1>,
    ) -> Vector<T, N, B, B::InMemory<'a>> {
        require::<B>(const { limits::oword_read(N * T::TYPE.bytes()) });
        self.block(kind, const { N * T::TYPE.bytes() }, offset)
    }

    #[op]
    fn block<const N: usize>(
        self,
        kind: AccessKind,
        message: usize,
        offset: B::Reg<u32, 1, 1>,
    ) -> Vector<T, N, B, B::InMemory<'a>> {
        Vector::from_storage(B::linear_block::<T, N>(
            kind,
            message,
            self.buffer.handle(),
            offset,
            self.scratch,
        ))
    }
}

/// [`Vector::convert`] of a block that is read in place.
#[op]
pub fn convert_vector<'a, T: Elem, V: Elem, const N: usize, B: Backend>(
    block: &Vector<V, N, B, B::InMemory<'a>>,
) -> Vector<T, N, B, B::ConvertedInMemory<'a, V>> {
    Vector::from_storage(B::convert_block::<V, T, 1, N>(block.storage()))
}

/// [`Matrix::convert`] of a block that is read in place.
#[op]
pub fn convert<'a, T: Elem, V: Elem, const R: usize, const C: usize, B: Backend>(
    block: &Matrix<V, R, C, B, B::InMemory<'a>>,
) -> Matrix<T, R, C, B, B::ConvertedInMemory<'a, V>> {
    Matrix::from_storage(B::convert_block::<V, T, R, C>(block.storage()))
}

/// A block that an annotation `X` accepts.
pub trait Annotated<X: Staged<B>, B: Backend> {}

impl<X: Staged<B>, T: Elem, const N: usize, B: Backend, S: Storage<B>> Annotated<X, B> for Vector<T, N, B, S> where
    Vector<T, N, B>: Enters<X, B>
{
}

impl<X: Staged<B>, T: Elem, const R: usize, const C: usize, B: Backend, S: Storage<B>> Annotated<X, B>
    for Matrix<T, R, C, B, S>
where
    Matrix<T, R, C, B>: Enters<X, B>,
{
}

/// `let _: X = block`, which keeps its storage. `Y` is `X` on the backend; naming it checks its size.
#[inlined]
pub fn annotated<B: Backend, X: Staged<B, Ty = Y>, Y, M: Annotated<X, B>>(block: M) -> M {
    block
}
