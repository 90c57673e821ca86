//! Buffers as kernels see them: oword blocks, scattered reads and writes, atomic operations.

use std::fmt;
use std::marker::PhantomData;

use cm_compiler::limits;
use cm_compiler::ops::AccessKind;
use cm_macros::op;

use crate::access::{oword_read, oword_write};
use crate::address::{ByteOffset, ElementBase};
use crate::atomic::Atomic;
use crate::backend::{Accessed, Backend, require};
use crate::elem::{Elem, Int};
use crate::limits::{AtomicElem, OwordRead, OwordWrite, ScatteredElem, ScatteredLanes, Shape};
use crate::registers::{Matrix, Offset, Vector};
use crate::stage::SameElement;

/// A buffer of elements `T` inside a kernel: CM's `SurfaceIndex` of a `CmBuffer`.
///
/// In a kernel's signature it is written `&Buffer<T>` (readable) or `&mut Buffer<T>` (readable and writable).
/// What is read outside of the buffer is 0, what is written there is dropped. A kernel thread reads what it
/// wrote; what others wrote in the same launch it must not depend on.
pub struct LinearBuffer<T: Elem, B: Backend> {
    handle: B::Buffer,
    elements: PhantomData<T>,
}

impl<T: Elem, B: Backend> fmt::Debug for LinearBuffer<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LinearBuffer").field(&T::TYPE).field(&self.handle).finish()
    }
}

/// A register that `write` of a buffer takes: a matrix, row by row, or a vector.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a block that can be written",
    label = "not a register",
    note = "write takes a reference to a matrix or a vector: `buffer.write(offset, &v)`",
    note = "a helper that gives a register to a kernel needs `#[function]`"
)]
pub trait LinearBlock<T: Elem, B: Backend>: Copy {
    /// Its rows and columns.
    type Shape;
    /// Its bytes.
    #[doc(hidden)]
    const BYTES: usize;
    /// Writes it.
    #[doc(hidden)]
    #[track_caller]
    fn write_to(self, buffer: &mut B::Buffer, offset: B::Reg<u32, 1, 1>);
}

impl<T: SameElement<V>, V: Elem, const R: usize, const C: usize, B: Backend> LinearBlock<T, B>
    for Matrix<V, R, C, B>
{
    type Shape = Shape<R, C>;
    const BYTES: usize = R * C * V::TYPE.bytes();

    #[op]
    fn write_to(self, buffer: &mut B::Buffer, offset: B::Reg<u32, 1, 1>) {
        oword_write::<B, T, R, C>(buffer, offset, T::same::<B, R, C>(self.into_reg()));
    }
}

impl<T: SameElement<V>, V: Elem, const N: usize, B: Backend> LinearBlock<T, B> for Vector<V, N, B> {
    type Shape = Shape<1, N>;
    const BYTES: usize = N * V::TYPE.bytes();

    #[op]
    fn write_to(self, buffer: &mut B::Buffer, offset: B::Reg<u32, 1, 1>) {
        oword_write::<B, T, 1, N>(buffer, offset, T::same::<B, 1, N>(self.into_reg()));
    }
}

/// `base + offsets`, in elements.
#[op]
fn elements<I: Int, const N: usize, B: Backend>(
    base: impl Offset<ElementBase, B>,
    offsets: &Vector<I, N, B>,
) -> B::Reg<u32, 1, N> {
    let offsets = offsets.convert::<u32>();
    match base.value() {
        None => offsets.into_reg(),
        // Wraps in 32 bits, as the addresses of the hardware do.
        Some(base) => (offsets + base).into_reg(),
    }
}

impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// A buffer argument of a backend.
    #[inline(always)]
    pub fn new(handle: B::Buffer) -> Self {
        Self { handle, elements: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn handle(&self) -> &B::Buffer {
        &self.handle
    }

    #[inline(always)]
    pub(crate) fn handle_mut(&mut self) -> &mut B::Buffer {
        &mut self.handle
    }

    /// Reads `N` elements from byte `offset` on, an oword block. CM: `read(buffer, offset, v)`.
    ///
    /// The block has 16 to 128 bytes. `offset` counts bytes and is a multiple of 16: literals are checked by
    /// `cargo check`, host numbers and what depends on the thread's coordinates only when the kernel is
    /// recorded; of others the lowest 4 bits are taken as 0. It is an unsigned 32-bit number. Bytes outside
    /// are 0.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// `y = a * x + y`, 32 elements a thread.
    /// #[kernel]
    /// fn axpy(a: f32, x: &Buffer<f32>, y: &mut Buffer<f32>) {
    ///     let offset = thread_origin_x() * 128;
    ///     let sum = x.read::<32>(offset) * a + y.read::<32>(offset);
    ///     y.write(offset, &sum);
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[2.0; 64])?;
    /// let mut y = Buffer::from_slice(&device, &[0.5; 64])?;
    /// axpy::launch(&device, ThreadSpace::new(2, 1)?, 10.0, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [20.5; 64]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn read<const N: usize>(&self, offset: impl Offset<ByteOffset<16>, B>) -> Vector<T, N, B>
    where
        Shape<1, N>: OwordRead<T>,
    {
        self.read_any(offset)
    }

    /// [`read`](Self::read) without a bound: the block is checked when the kernel is recorded.
    #[op]
    pub fn read_any<const N: usize>(&self, offset: impl Offset<ByteOffset<16>, B>) -> Vector<T, N, B> {
        self.block(AccessKind::OwordRead, offset.value())
    }

    /// [`read`](Self::read) at any dword: `offset` counts bytes and is a multiple of 4. CM:
    /// `read(DWALIGNED(buffer), offset, v)`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Every element minus the one before it.
    /// #[kernel]
    /// fn differences(x: &Buffer<i32>, y: &mut Buffer<i32>) {
    ///     let offset = thread_origin_x() * 32;
    ///     y.write(offset, &(x.read_dwaligned::<8>(offset + 4) - x.read::<8>(offset)));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[0, 1, 4, 9, 16, 25, 36, 49])?;
    /// let mut y = Buffer::<i32>::new(&device, 8)?;
    /// differences::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [1, 3, 5, 7, 9, 11, 13, -49]); // 0 follows
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn read_dwaligned<const N: usize>(&self, offset: impl Offset<ByteOffset<4>, B>) -> Vector<T, N, B>
    where
        Shape<1, N>: OwordRead<T>,
    {
        self.read_dwaligned_any(offset)
    }

    /// [`read_dwaligned`](Self::read_dwaligned) without a bound: the block is checked when the kernel is
    /// recorded.
    #[op]
    pub fn read_dwaligned_any<const N: usize>(
        &self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) -> Vector<T, N, B> {
        self.block(AccessKind::OwordReadDwaligned, offset.value())
    }

    #[op]
    fn block<const N: usize>(&self, kind: AccessKind, offset: B::Reg<u32, 1, 1>) -> Vector<T, N, B> {
        // In a constant: nothing is left of it where the size is right.
        require::<B>(const { limits::oword_read(N * T::TYPE.bytes()) });
        Vector::from_reg(oword_read::<B, T, N>(kind, &self.handle, offset))
    }

    /// Writes a matrix, row by row, or a vector from byte `offset` on, an oword block. CM:
    /// `write(buffer, offset, v)`.
    ///
    /// The block has exactly 16, 32, 64 or 128 bytes; the offset is that of [`read`](Self::read). Bytes
    /// outside are dropped.
    #[op]
    pub fn write<M: LinearBlock<T, B>>(&mut self, offset: impl Offset<ByteOffset<16>, B>, block: &M)
    where
        M::Shape: OwordWrite<T>,
    {
        self.write_any(offset, block);
    }

    /// [`write`](Self::write) without a bound: the block is checked when the kernel is recorded.
    #[op]
    pub fn write_any<M: LinearBlock<T, B>>(&mut self, offset: impl Offset<ByteOffset<16>, B>, block: &M) {
        require::<B>(const { limits::oword_write(M::BYTES) });
        block.write_to(&mut self.handle, offset.value());
    }

    /// Reads the elements `base + offsets[k]`, a gather. CM: `read(buffer, base, offsets, v)`.
    ///
    /// 1, 2, 4, 8, 16 or 32 elements of 1, 2 or 4 bytes; `base` and `offsets` count elements. They are taken
    /// as unsigned 32-bit numbers, and so is the number of bytes that they come to. Elements outside are 0.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Looks 16 bytes up in a table.
    /// #[kernel]
    /// fn look_up(table: &Buffer<u16>, x: &Buffer<u8>, y: &mut Buffer<u16>) {
    ///     let i = thread_origin_x() * 16;
    ///     y.write(i * 2, &table.read_scattered(0, &x.read::<16>(i)));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let squares: Vec<u16> = (0..256).map(|x| x as u16 * x as u16).collect();
    /// let table = Buffer::from_slice(&device, &squares)?;
    /// let x = Buffer::from_slice(&device, &[9u8; 16])?;
    /// let mut y = Buffer::new(&device, 16)?;
    /// look_up::launch(&device, ThreadSpace::new(1, 1)?, &table, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [81u16; 16]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn read_scattered<I: Int, const N: usize>(
        &self,
        base: impl Offset<ElementBase, B>,
        offsets: &Vector<I, N, B>,
    ) -> Vector<T, N, B>
    where
        T: ScatteredElem,
        Shape<1, N>: ScatteredLanes,
    {
        self.read_scattered_any(base, offsets)
    }

    /// [`read_scattered`](Self::read_scattered) without a bound on the number of elements: it is checked when
    /// the kernel is recorded.
    #[op]
    pub fn read_scattered_any<I: Int, const N: usize>(
        &self,
        base: impl Offset<ElementBase, B>,
        offsets: &Vector<I, N, B>,
    ) -> Vector<T, N, B>
    where
        T: ScatteredElem,
    {
        require::<B>(const { limits::scattered(N) });
        Vector::from_reg(B::read::<T, 1, N>(
            AccessKind::Gather,
            Accessed::Elements { buffer: &self.handle, elements: elements(base, offsets) },
        ))
    }

    /// Writes the elements `base + offsets[k]`, a scatter; of equal offsets the last element stays. CM:
    /// `write(buffer, base, offsets, v)`.
    ///
    /// The limits are those of [`read_scattered`](Self::read_scattered). Elements outside are dropped:
    /// `u32::MAX` writes nothing, whatever the buffer. Which of equal offsets stays is not defined by the
    /// hardware.
    #[op]
    pub fn write_scattered<I: Int, V: Elem, const N: usize>(
        &mut self,
        base: impl Offset<ElementBase, B>,
        offsets: &Vector<I, N, B>,
        values: &Vector<V, N, B>,
    ) where
        T: ScatteredElem + SameElement<V>,
        Shape<1, N>: ScatteredLanes,
    {
        self.write_scattered_any(base, offsets, values);
    }

    /// [`write_scattered`](Self::write_scattered) without a bound on the number of elements: it is checked
    /// when the kernel is recorded.
    #[op]
    pub fn write_scattered_any<I: Int, V: Elem, const N: usize>(
        &mut self,
        base: impl Offset<ElementBase, B>,
        offsets: &Vector<I, N, B>,
        values: &Vector<V, N, B>,
    ) where
        T: ScatteredElem + SameElement<V>,
    {
        require::<B>(const { limits::scattered(N) });
        let elements = elements(base, offsets);
        let values = T::same::<B, 1, N>((*values).into_reg());
        B::write::<T, 1, N>(
            AccessKind::Scatter,
            Accessed::Elements { buffer: &mut self.handle, elements },
            values,
        );
    }

    /// Changes the elements `offsets[k]`, each in one step, whatever other threads do. CM:
    /// `write_atomic<op>(buffer, offsets, sources)`.
    ///
    /// 1, 2, 4, 8, 16 or 32 dword integers. `offsets` count elements, as those of
    /// [`read_scattered`](Self::read_scattered); elements outside are left out. Where offsets are equal the
    /// element is changed once for each. The operations stand in [`atomic`](crate::atomic), with an example.
    #[op]
    pub fn write_atomic<I: Int, const N: usize>(
        &mut self,
        operation: impl Atomic<T, N, B>,
        offsets: &Vector<I, N, B>,
    ) where
        T: AtomicElem,
        Shape<1, N>: ScatteredLanes,
    {
        self.write_atomic_any(operation, offsets);
    }

    /// [`write_atomic`](Self::write_atomic) without a bound on the number of elements: it is checked when the
    /// kernel is recorded.
    #[op]
    pub fn write_atomic_any<I: Int, const N: usize>(
        &mut self,
        operation: impl Atomic<T, N, B>,
        offsets: &Vector<I, N, B>,
    ) where
        T: AtomicElem,
    {
        let _ = self.fetch_atomic_any(operation, offsets);
    }

    /// [`write_atomic`](Self::write_atomic) that gives what the elements were before; 0 outside. CM: the form
    /// with a result, `write_atomic<op>(buffer, offsets, sources, old)`.
    ///
    /// On a GPU the order in which threads and elements come is not defined, and with it what is given where
    /// several change one element.
    #[op]
    pub fn fetch_atomic<I: Int, const N: usize>(
        &mut self,
        operation: impl Atomic<T, N, B>,
        offsets: &Vector<I, N, B>,
    ) -> Vector<T, N, B>
    where
        T: AtomicElem,
        Shape<1, N>: ScatteredLanes,
    {
        self.fetch_atomic_any(operation, offsets)
    }

    /// [`fetch_atomic`](Self::fetch_atomic) without a bound on the number of elements: it is checked when the
    /// kernel is recorded.
    #[op]
    pub fn fetch_atomic_any<I: Int, const N: usize>(
        &mut self,
        operation: impl Atomic<T, N, B>,
        offsets: &Vector<I, N, B>,
    ) -> Vector<T, N, B>
    where
        T: AtomicElem,
    {
        require::<B>(const { limits::scattered(N) });
        let elements = offsets.convert::<u32>().into_reg();
        Vector::from_reg(atomic(&mut self.handle, operation, elements))
    }
}

#[op]
fn atomic<O: Atomic<T, N, B>, T: AtomicElem, const N: usize, B: Backend>(
    handle: &mut B::Buffer,
    operation: O,
    elements: B::Reg<u32, 1, N>,
) -> B::Reg<T, 1, N> {
    B::update::<T, 1, N>(O::KIND, handle, elements, operation.sources())
}
