//! Buffers in kernels: oword blocks, scattered reads and writes, atomic operations.

use std::fmt;
use std::marker::PhantomData;

use cm_compiler::limits;
use cm_compiler::ops::AccessKind;
use cm_macros::op;

use crate::access::{oword_read, oword_write};
use crate::address::{ByteOffset, ElementBase};
use crate::atomic::Atomic;
use crate::backend::{Accessed, Backend, merge, require};
use crate::elem::{Elem, Int};
use crate::limits::{AtomicElem, OwordRead, OwordWrite, ScatteredElem, ScatteredLanes, Shape};
use crate::registers::{Matrix, Offset, Vector};
use crate::stage::SameElement;

/// A buffer of elements `T` in a kernel. CM: `SurfaceIndex` of a `CmBuffer`.
///
/// In the signature of a kernel or function, write `&Buffer<T>` (read) or `&mut Buffer<T>` (read and write).
/// In the body the parameter has these methods. [`Buffer`](../../cm/struct.Buffer.html) describes how a
/// program creates and fills buffers.
///
/// Elements outside the buffer read as 0; out-of-bounds writes are dropped. A kernel thread reads what it
/// wrote itself. It must not depend on what other kernel threads write in the same launch.
pub struct LinearBuffer<T: Elem, B: Backend> {
    handle: B::Buffer,
    elements: PhantomData<T>,
}

impl<T: Elem, B: Backend> fmt::Debug for LinearBuffer<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LinearBuffer").field(&T::NAME).field(&self.handle).finish()
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

/// The element numbers of a scattered access inside SIMD control flow: in lanes that are not active one that
/// is outside of every buffer.
#[doc(hidden)]
#[op]
pub fn active_offsets<B: Backend, I: Int, O: Offset<ElementBase, B>, const N: usize>(
    base: O,
    offsets: &Vector<I, N, B>,
    mask: Vector<u16, N, B>,
) -> Vector<u32, N, B> {
    let outside = B::constant([[u32::MAX; N]]);
    let elements = elements(base, offsets);
    Vector::from_reg(merge::<B, u16, u32, 1, N>(mask.into_reg(), elements, outside))
}

impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    #[doc(hidden)]
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

    /// Reads `N` consecutive elements, starting at byte `offset`: an oword block. CM:
    /// `read(buffer, offset, v)`.
    ///
    /// - The block has 16 to 128 bytes; `cargo check` tests this.
    /// - `offset` counts bytes. It is an unsigned 32-bit number and a multiple of 16.
    /// - `cargo check` tests literal offsets. Host numbers, and scalars that depend only on the thread's
    ///   coordinates, are checked when the kernel is [recorded]. Of other scalars the lowest 4 bits are
    ///   ignored.
    /// - Bytes outside the buffer read as 0.
    ///
    /// [recorded]: ../../cm/guide/glossary/index.html#recorded
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

    /// Reads `N` consecutive elements, like [`read`](Self::read), from any multiple of 4 bytes. CM:
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

    #[op]
    fn block<const N: usize>(&self, kind: AccessKind, offset: B::Reg<u32, 1, 1>) -> Vector<T, N, B> {
        // In a constant: nothing is left of it where the size is right.
        require::<B>(const { limits::oword_read(N * T::TYPE.bytes()) });
        Vector::from_reg(oword_read::<B, T, N>(kind, &self.handle, offset))
    }

    /// Writes a vector, or a matrix row by row, starting at byte `offset`: an oword block. CM:
    /// `write(buffer, offset, v)`.
    ///
    /// - The block has exactly 16, 32, 64 or 128 bytes; `cargo check` tests this.
    /// - The rules for `offset` are those of [`read`](Self::read).
    /// - Out-of-bounds writes are dropped, byte by byte.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn fill(y: &mut Buffer<i32>, x: i32) {
    ///     y.write(thread_origin_x() * 32, &Vector::<i32, 8>::splat(x));
    /// }
    ///
    /// let mut y = Buffer::<i32>::new(&Device::cpu()?, 12)?;
    /// fill::launch(&Device::cpu()?, ThreadSpace::new(2, 1)?, &mut y, 7)?;
    /// assert_eq!(y.to_vec()?, [7; 12]); // the last 4 elements of the second block are dropped
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn write<M: LinearBlock<T, B>>(&mut self, offset: impl Offset<ByteOffset<16>, B>, block: &M)
    where
        M::Shape: OwordWrite<T>,
    {
        self.write_any(offset, block);
    }

    /// Reads the elements `base + offsets[k]`: a gather. CM: `read(buffer, base, offsets, v)`.
    ///
    /// - There are 1, 2, 4, 8, 16 or 32 offsets; elements have 1, 2 or 4 bytes. `cargo check` tests both.
    /// - `base` and `offsets` count elements. They are unsigned 32-bit numbers, and so is the resulting
    ///   number of bytes: it wraps.
    /// - Elements outside the buffer read as 0.
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

    /// Writes the elements `base + offsets[k]`: a scatter. CM: `write(buffer, base, offsets, v)`.
    ///
    /// - The limits are those of [`read_scattered`](Self::read_scattered).
    /// - Out-of-bounds writes are dropped. The offset `u32::MAX` is outside every buffer, so it leaves an
    ///   element out.
    /// - If offsets are equal, the CPU keeps the last element; the hardware does not define which one it
    ///   keeps.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Writes 8 elements in reverse order.
    /// #[kernel]
    /// fn reverse(x: &Buffer<i32>, y: &mut Buffer<i32>) {
    ///     let offsets = Vector::from_array([7, 6, 5, 4, 3, 2, 1, 0]);
    ///     y.write_scattered(0, &offsets, &x.read::<8>(0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let x = Buffer::from_slice(&device, &[0, 1, 2, 3, 4, 5, 6, 7])?;
    /// let mut y = Buffer::<i32>::new(&device, 8)?;
    /// reverse::launch(&device, ThreadSpace::new(1, 1)?, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [7, 6, 5, 4, 3, 2, 1, 0]);
    /// # Ok::<(), cm::Error>(())
    /// ```
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

    /// Updates the elements `offsets[k]` atomically. CM: `write_atomic<op>(buffer, offsets, sources)`.
    ///
    /// - There are 1, 2, 4, 8, 16 or 32 offsets; elements are `u32` or `i32`. `cargo check` tests both.
    /// - `offsets` count elements, like those of [`read_scattered`](Self::read_scattered). Elements outside
    ///   the buffer are left out.
    /// - If offsets are equal, the element is updated once for each.
    ///
    /// The module [`atomic`](crate::atomic) has the operations.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// A histogram of 16 bytes per kernel thread.
    /// #[kernel]
    /// fn histogram(values: &Buffer<u8>, bins: &mut Buffer<u32>) {
    ///     bins.write_atomic(atomic::Inc, &values.read::<16>(thread_origin_x() * 16));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let values = Buffer::from_slice(&device, &[7u8; 32])?;
    /// let mut bins = Buffer::<u32>::new(&device, 256)?;
    /// histogram::launch(&device, ThreadSpace::new(2, 1)?, &values, &mut bins)?;
    /// assert_eq!(bins.to_vec()?[7], 32);
    /// # Ok::<(), cm::Error>(())
    /// ```
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

    /// Updates the elements like [`write_atomic`](Self::write_atomic) and returns their old values; 0 outside
    /// the buffer. CM: the form with a result, `write_atomic<op>(buffer, offsets, sources, old)`.
    ///
    /// On a GPU the order of threads and elements is not defined. If several of them update one element,
    /// neither is the old value that each receives.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Gives each kernel thread a ticket.
    /// #[kernel]
    /// fn tickets(next: &mut Buffer<u32>, taken: &mut Buffer<u32>) {
    ///     let ticket = next.fetch_atomic(atomic::Inc, &Vector::<u32, 1>::splat(0));
    ///     taken.write_scattered(thread_origin_x(), &Vector::<u32, 1>::splat(0), &ticket);
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut next = Buffer::<u32>::new(&device, 1)?;
    /// let mut taken = Buffer::<u32>::new(&device, 4)?;
    /// tickets::launch(&device, ThreadSpace::new(4, 1)?, &mut next, &mut taken)?;
    /// let mut taken = taken.to_vec()?;
    /// taken.sort();
    /// assert_eq!(taken, [0, 1, 2, 3]);
    /// # Ok::<(), cm::Error>(())
    /// ```
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
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    /// [`read`](Self::read) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn read_any<const N: usize>(&self, offset: impl Offset<ByteOffset<16>, B>) -> Vector<T, N, B> {
        self.block(AccessKind::OwordRead, offset.value())
    }

    /// [`read_dwaligned`](Self::read_dwaligned) without a bound. The block is checked when the kernel is
    /// recorded.
    #[op]
    pub fn read_dwaligned_any<const N: usize>(
        &self,
        offset: impl Offset<ByteOffset<4>, B>,
    ) -> Vector<T, N, B> {
        self.block(AccessKind::OwordReadDwaligned, offset.value())
    }

    /// [`write`](Self::write) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn write_any<M: LinearBlock<T, B>>(&mut self, offset: impl Offset<ByteOffset<16>, B>, block: &M) {
        require::<B>(const { limits::oword_write(M::BYTES) });
        block.write_to(&mut self.handle, offset.value());
    }

    /// [`read_scattered`](Self::read_scattered) without a bound. The number of elements is checked when the
    /// kernel is recorded.
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

    /// [`write_scattered`](Self::write_scattered) without a bound. The number of elements is checked when the
    /// kernel is recorded.
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

    /// [`write_atomic`](Self::write_atomic) without a bound. The number of elements is checked when the
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

    /// [`fetch_atomic`](Self::fetch_atomic) without a bound. The number of elements is checked when the
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
