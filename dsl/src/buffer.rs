//! Buffers in kernels: oword blocks, scattered accesses, atomic operations.

use std::fmt;
use std::marker::PhantomData;

use cm_compiler::limits;
use cm_compiler::ops::{AccessKind, AtomicHints, LoadHints, PrefetchHints, StoreHints};
use cm_macros::{inlined, op};

use crate::access::oword_read;
use crate::address::{ByteBase, ByteOffset, ElementBase};
use crate::atomic::Atomic;
use crate::backend::{Backend, Pitched, Region, Start, merge, require};
use crate::elem::{Elem, Int};
use crate::limits::{
    AtomicElem, ChannelRows, Channels, Len, OwordRead, OwordWrite, ScatteredLanes, Shape, UntypedElem,
    VectorElem, VectorRows,
};
use crate::operators::Mask;
use crate::registers::{Matrix, Offset, PerLane, Vector};
use crate::scattered::{
    atomic_operations, elements, masked, scaled, scattered_prefetches, scattered_reads, scattered_writes,
};
use crate::stage::SameElement;

/// A buffer of elements `T` in a kernel. CM: `SurfaceIndex` of a `CmBuffer`.
///
/// In the signature of a kernel or function, write `&Buffer<T>` (read) or `&mut Buffer<T>` (read and write).
/// In the body the parameter has these methods. [`Buffer`](../../cm/struct.Buffer.html) describes how a
/// program creates and fills buffers.
///
/// Elements outside the buffer read as 0; out-of-bounds writes are dropped. A kernel thread sees its own writes.
/// It sees what others write in the same launch only after a barrier of its group, or if it waits for them
/// ([dependencies](../../cm/guide/waves/index.html)).
pub struct LinearBuffer<T: Elem, B: Backend> {
    handle: B::Buffer,
    elements: PhantomData<T>,
}

impl<T: Elem, B: Backend> fmt::Debug for LinearBuffer<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LinearBuffer").field(&T::NAME).field(&self.handle).finish()
    }
}

/// A register that `write` of a buffer accepts: a matrix, row by row, or a vector.
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
    /// The number of rows.
    #[doc(hidden)]
    const ROWS: usize;
    /// The number of columns.
    #[doc(hidden)]
    const COLUMNS: usize;
    /// Writes the register.
    #[doc(hidden)]
    #[track_caller]
    fn write_to(self, kind: AccessKind, buffer: &mut B::Buffer, offset: B::Reg<u32, 1, 1>);
    /// Writes the register as a 2-D block.
    #[doc(hidden)]
    #[track_caller]
    fn write_2d_to(self, kind: AccessKind, buffer: &mut B::Buffer, block: Pitched<B>);
}

impl<T: SameElement<V>, V: Elem, const R: usize, const C: usize, B: Backend> LinearBlock<T, B>
    for Matrix<V, R, C, B>
{
    type Shape = Shape<R, C>;
    const BYTES: usize = R * C * V::TYPE.bytes();
    const ROWS: usize = R;
    const COLUMNS: usize = C;

    #[op]
    fn write_to(self, kind: AccessKind, buffer: &mut B::Buffer, offset: B::Reg<u32, 1, 1>) {
        B::write_bytes::<T, R, C>(kind, buffer, offset, T::same::<B, R, C>(self.into_reg()));
    }

    #[op]
    fn write_2d_to(self, kind: AccessKind, buffer: &mut B::Buffer, block: Pitched<B>) {
        B::write_pitched::<T, R, C>(kind, buffer, block, T::same::<B, R, C>(self.into_reg()));
    }
}

impl<T: SameElement<V>, V: Elem, const N: usize, B: Backend> LinearBlock<T, B> for Vector<V, N, B> {
    type Shape = Shape<1, N>;
    const BYTES: usize = N * V::TYPE.bytes();
    const ROWS: usize = 1;
    const COLUMNS: usize = N;

    #[op]
    fn write_to(self, kind: AccessKind, buffer: &mut B::Buffer, offset: B::Reg<u32, 1, 1>) {
        B::write_bytes::<T, 1, N>(kind, buffer, offset, T::same::<B, 1, N>(self.into_reg()));
    }

    #[op]
    fn write_2d_to(self, kind: AccessKind, buffer: &mut B::Buffer, block: Pitched<B>) {
        B::write_pitched::<T, 1, N>(kind, buffer, block, T::same::<B, 1, N>(self.into_reg()));
    }
}

impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    #[doc(hidden)]
    #[inlined]
    pub fn new(handle: B::Buffer) -> Self {
        Self { handle, elements: PhantomData }
    }

    /// The same argument, for a kernel thread. No method: kernels do not copy buffers.
    #[doc(hidden)]
    #[inlined]
    pub fn copy(buffer: &Self) -> Self {
        Self { ..*buffer }
    }

    #[inlined]
    pub(crate) fn handle(&self) -> &B::Buffer {
        &self.handle
    }

    #[inlined]
    pub(crate) fn handle_mut(&mut self) -> &mut B::Buffer {
        &mut self.handle
    }

    /// Reads `N` consecutive elements, starting at byte `offset`: an oword block. CM:
    /// `read(buffer, offset, v)`.
    ///
    /// - The block has 16 to 128 bytes; `cargo check` enforces this.
    /// - `offset` counts bytes. It is an unsigned 32-bit number and a multiple of 16.
    /// - `cargo check` checks literal offsets. Host numbers, and scalars that depend only on the thread's
    ///   coordinates, are checked when the kernel is [recorded]. The lowest 4 bits of other scalars are
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
        // In a constant, so that a correct size leaves no code.
        require::<B>(const { limits::oword_read(N * T::TYPE.bytes()) });
        Vector::from_reg(oword_read::<B, T, N>(kind, &self.handle, offset))
    }

    /// Writes a vector, or a matrix row by row, starting at byte `offset`: an oword block. CM:
    /// `write(buffer, offset, v)`.
    ///
    /// - The block has exactly 16, 32, 64 or 128 bytes; `cargo check` enforces this.
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
        block.write_to(AccessKind::OwordWrite, &mut self.handle, offset.value());
    }
}

/// The elements of each channel of a mask.
#[inlined]
#[track_caller]
fn channels<B: Backend, const L: usize>(
    mask: usize,
    elements: Vector<u32, L, B>,
) -> impl Iterator<Item = Vector<u32, L, B>> {
    (0..4).filter(move |channel| mask >> channel & 1 != 0).map(move |channel| match channel {
        0 => elements,
        _ => elements + channel,
    })
}

/// The mask of an access inside SIMD control flow: only the active lanes.
#[doc(hidden)]
#[op]
pub fn active_mask<B: Backend, M: Mask<1, L, B, Len<L>>, const L: usize>(
    mask: M,
    active: Vector<u16, L, B>,
) -> Vector<u16, L, B> {
    let (zeros, active) = (B::constant([[0; L]]), active.into_reg());
    Vector::from_reg(merge::<B, M::Elem, u16, 1, L>(mask.into_mask(), active, zeros))
}

/// The building blocks of scattered accesses, with their cache hints.
impl<T: Elem, B: Backend> LinearBuffer<T, B> {
    #[op]
    pub(crate) fn gather<const L: usize>(
        &self,
        hints: LoadHints,
        elements: Vector<u32, L, B>,
    ) -> Vector<T, L, B> {
        require::<B>(const { limits::scattered(L) });
        Vector::from_reg(B::gather::<T, 1, L>(hints, &self.handle, elements.into_reg()))
    }

    #[op]
    pub(crate) fn scatter<V: Elem, const L: usize>(
        &mut self,
        hints: StoreHints,
        elements: Vector<u32, L, B>,
        values: impl PerLane<V, L, B>,
    ) where
        T: SameElement<V>,
    {
        require::<B>(const { limits::scattered(L) });
        let values = T::same::<B, 1, L>(values.per_lane().into_reg());
        B::scatter::<T, 1, L>(hints, &mut self.handle, elements.into_reg(), values);
    }

    #[op]
    pub(crate) fn prefetch_elements<const L: usize>(
        &self,
        hints: PrefetchHints,
        elements: Vector<u32, L, B>,
    ) {
        require::<B>(const { limits::scattered(L) });
        B::prefetch_elements::<T, 1, L>(hints, &self.handle, elements.into_reg());
    }

    #[op]
    pub(crate) fn gather_vectors<const R: usize, const L: usize>(
        &self,
        hints: LoadHints,
        firsts: Vector<u32, L, B>,
    ) -> Matrix<T, R, L, B> {
        require::<B>(const { limits::vectors(R, L) });
        Matrix::from_reg(B::gather_vectors::<T, R, L>(hints, &self.handle, firsts.into_reg()))
    }

    #[op]
    pub(crate) fn scatter_vectors<V: Elem, const R: usize, const L: usize>(
        &mut self,
        hints: StoreHints,
        firsts: Vector<u32, L, B>,
        values: &Matrix<V, R, L, B>,
    ) where
        T: SameElement<V>,
    {
        require::<B>(const { limits::vectors(R, L) });
        let values = T::same::<B, R, L>((*values).into_reg());
        B::scatter_vectors::<T, R, L>(hints, &mut self.handle, firsts.into_reg(), values);
    }

    /// The channels of a mask, row by row.
    #[op]
    pub(crate) fn gather_channels<const R: usize, const L: usize>(
        &self,
        hints: LoadHints,
        mask: usize,
        elements: Vector<u32, L, B>,
    ) -> Matrix<T, R, L, B> {
        let mut rows = B::undefined::<T, R, L>();
        for (row, elements) in channels(mask, elements).enumerate() {
            let region = Region::row(Start::Host(row * L), L);
            let mut place = B::narrow::<T>(B::place(&mut rows), L, region);
            B::store_place::<T, 1, L>(&mut place, self.gather(hints, elements).into_reg());
        }
        Matrix::from_reg(B::load(&rows))
    }

    #[op]
    pub(crate) fn scatter_channels<const R: usize, const L: usize>(
        &mut self,
        hints: StoreHints,
        mask: usize,
        elements: Vector<u32, L, B>,
        values: &Matrix<T, R, L, B>,
    ) {
        let values = (*values).into_reg();
        for (row, elements) in channels(mask, elements).enumerate() {
            let region = Region::row(Start::Host(row * L), L);
            self.scatter(hints, elements, &Vector::from_reg(B::region::<T, R, L, 1, L>(&values, region)));
        }
    }

    #[op]
    pub(crate) fn update<O: Atomic<T, L, B>, const L: usize>(
        &mut self,
        hints: AtomicHints,
        operation: O,
        elements: Vector<u32, L, B>,
    ) -> Vector<T, L, B>
    where
        T: AtomicElem,
    {
        require::<B>(const { limits::scattered(L) });
        let sources = operation.sources();
        Vector::from_reg(B::update::<O::Op, T, 1, L>(hints, &mut self.handle, elements.into_reg(), sources))
    }
}

/// The methods of every row that reads.
macro_rules! reads {
    (
        $what:literal $caching:ident $default:expr;
        $(
            $(#[$doc:meta])*
            $name:ident $any:ident [$($generics:tt)*] ($($arg:ident: $ty:ty),*) -> $out:ty
            where [$($bounds:tt)*] |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        #[doc = concat!($what, ".")]
        impl<T: Elem, B: Backend> LinearBuffer<T, B> {
            $(
                $(#[$doc])*
                #[op]
                pub fn $name<$($generics)*, const L: usize>(&self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                    Shape<1, L>: ScatteredLanes,
                {
                    self.$any($($arg),*)
                }
            )*
        }

        #[doc = concat!($what, " without bounds: the number of elements is checked when the kernel is recorded.")]
        impl<T: Elem, B: Backend> LinearBuffer<T, B> {
            $(
                #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") without a bound. The number")]
                /// of elements is checked when the kernel is recorded.
                #[op]
                pub fn $any<$($generics)*, const L: usize>(&self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                {
                    let ($buffer, $hints) = (self, $default);
                    $body
                }
            )*
        }
    };
}

/// The methods of every row that writes.
macro_rules! writes {
    (
        $what:literal $caching:ident $default:expr;
        $(
            $(#[$doc:meta])*
            shared
            $(#[$shared_doc:meta])*
            $name:ident $any:ident [$($generics:tt)*] ($($arg:ident: $ty:ty),*) -> $out:ty
            where [$($bounds:tt)*] |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        #[doc = concat!($what, ".")]
        impl<T: Elem, B: Backend> LinearBuffer<T, B> {
            $(
                $(#[$doc])*
                #[op]
                pub fn $name<$($generics)*, const L: usize>(&mut self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                    Shape<1, L>: ScatteredLanes,
                {
                    self.$any($($arg),*)
                }
            )*
        }

        #[doc = concat!($what, " without bounds: the number of elements is checked when the kernel is recorded.")]
        impl<T: Elem, B: Backend> LinearBuffer<T, B> {
            $(
                #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") without a bound. The number")]
                /// of elements is checked when the kernel is recorded.
                #[op]
                pub fn $any<$($generics)*, const L: usize>(&mut self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                {
                    let ($buffer, $hints) = (self, $default);
                    $body
                }
            )*
        }
    };
}

scattered_reads!(reads);
scattered_prefetches!(reads);
scattered_writes!(writes);
atomic_operations!(writes);
