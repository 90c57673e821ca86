//! Shared local memory of a group of threads, and the barriers of the group.

use std::fmt;
use std::ops::Deref;

use cm_compiler::ops::SyncKind;
use cm_macros::{inlined, op};

use crate::address::{ByteBase, ByteOffset, ElementBase};
use crate::atomic::Atomic;
use crate::backend::{Backend, Staged};
use crate::buffer::{LinearBlock, LinearBuffer};
use crate::cpu::Cpu;
use crate::elem::{Elem, Int};
use crate::limits::{
    ChannelRows, Channels, DwordBlock, Len, OwordWrite, ScatteredLanes, Shape, SharedAtomicElem, UntypedElem,
};
use crate::operators::Mask;
use crate::registers::{Matrix, Offset, Vector};
use crate::scattered::{atomic_operations, scattered_writes};
use crate::stage::{Declared, DeclaredIn, SameElement};

/// An array of `N` elements that the threads of a group share: shared local memory. CM: `cm_slm_init`,
/// `cm_slm_alloc`.
///
/// [`slm`] creates it. It is read like a [buffer](LinearBuffer), with [`read`], [`read_dwaligned`] and
/// [`read_scattered`], and written with the methods below, which take `&self`. It has no 2-D blocks, and no writes with
/// cache hints: shared memory has no caches. [`format`](Self::format) is the array as elements of another type. Helpers
/// take it as `&Slm<T, N>`, or as `&Buffer<T>` for reading.
///
/// - Elements outside the array read as 0; out-of-bounds writes are dropped. A block that is partly outside reads as
///   0 and is not written.
/// - A thread sees what other threads wrote before the last [`barrier`]. Without a barrier between them, a write
///   and another access to the same bytes are a race, unless both are atomic.
/// - When a group starts, the memory holds 0 on the CPU and undefined values on a GPU.
///
/// [`read`]: LinearBuffer::read
/// [`read_dwaligned`]: LinearBuffer::read_dwaligned
/// [`read_scattered`]: LinearBuffer::read_scattered
///
/// ```
/// use cm::prelude::*;
///
/// /// Every group reverses 4 blocks of 8 elements.
/// #[kernel]
/// fn reverse_blocks(x: &Buffer<i32>, y: &mut Buffer<i32>) {
///     let blocks = slm::<i32, 32>();
///     blocks.write(local_id(0) * 32, &x.read::<8>(linear_global_id() * 32));
///     barrier();
///     y.write(linear_global_id() * 32, &blocks.read::<8>((3 - local_id(0)) * 32));
/// }
///
/// let device = Device::cpu()?;
/// let numbers: Vec<i32> = (0..64).collect();
/// let x = Buffer::from_slice(&device, &numbers)?;
/// let mut y = Buffer::<i32>::new(&device, 64)?;
/// reverse_blocks::launch(&device, ThreadGroups::new([2, 1, 1], [4, 1, 1])?, &x, &mut y)?;
/// assert_eq!(y.to_vec()?[..10], [24, 25, 26, 27, 28, 29, 30, 31, 16, 17]);
/// # Ok::<(), cm::Error>(())
/// ```
pub struct Slm<T: Elem, const N: usize, B: Backend = Cpu> {
    buffer: LinearBuffer<T, B>,
}

impl<T: Elem, const N: usize, B: Backend> fmt::Debug for Slm<T, N, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slm").field(&T::TYPE).field(&N).finish()
    }
}

impl<T: Elem, const N: usize, B: Backend> Deref for Slm<T, N, B> {
    type Target = LinearBuffer<T, B>;

    #[inlined]
    fn deref(&self) -> &LinearBuffer<T, B> {
        &self.buffer
    }
}

#[doc(hidden)]
impl<T: Elem, const N: usize, B: Backend> Staged<B> for Slm<T, N> {
    type Ty = Slm<T, N, B>;
}

#[doc(hidden)]
impl<T: Elem, const N: usize, B: Backend> Declared<B> for Slm<T, N> {
    type Ty = Slm<T, N, B>;
}

#[doc(hidden)]
impl<T: Elem, const N: usize, B: Backend, const FILE: usize> DeclaredIn<B, FILE> for Slm<T, N> {
    type Ty = Slm<T, N, B>;
}

/// Creates an array of `N` elements `T` that the threads of a group share. CM: `cm_slm_init`, `cm_slm_alloc`.
///
/// - Kernels call it as `slm::<f32, 256>()`. The size is known when the kernel is compiled.
/// - All arrays of a kernel take at most 64 KiB together, and each begins at a multiple of 16 bytes. This is
///   checked when the kernel is recorded.
/// - It must be called outside staged conditions and loops. Each call creates another array.
/// - In a thread space every thread has its own array.
///
/// [`Slm`] describes the arrays.
///
/// # Panics
/// In plain Rust, which has no groups.
///
/// ```
/// use cm::prelude::*;
///
/// /// The sum of what the threads of a group read.
/// #[kernel]
/// fn sums(x: &Buffer<u32>, y: &mut Buffer<u32>) {
///     let sum = slm::<u32, 1>();
///     let at = Vector::<u32, 1>::splat(0);
///     let own = math::sum::<u32, _>(x.read::<8>(linear_global_id() * 32));
///     sum.write_atomic(atomic::Add(&Vector::<u32, 1>::splat(own)), &at);
///     barrier();
///     y.write_scattered(linear_global_id(), &at, &sum.read_scattered(0, &at));
/// }
///
/// let device = Device::cpu()?;
/// let x = Buffer::from_slice(&device, &[1u32; 32])?;
/// let mut y = Buffer::<u32>::new(&device, 4)?;
/// sums::launch(&device, ThreadGroups::new([2, 1, 1], [2, 1, 1])?, &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [16; 4]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
#[must_use]
pub fn slm<T: Elem, const N: usize, B: Backend>() -> Slm<T, N, B> {
    Slm { buffer: LinearBuffer::new(B::shared::<T>(N)) }
}

impl<T: Elem, const N: usize, B: Backend> Slm<T, N, B> {
    #[inlined]
    fn memory(&self) -> B::Buffer {
        *self.buffer.handle()
    }

    /// Writes a vector, or a matrix row by row, starting at byte `offset`: an oword block. CM:
    /// `cm_slm_block_write`.
    ///
    /// The limits of the block and the rules for `offset` are those of [`LinearBuffer::write`]. A block that is partly
    /// outside the array is not written.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(output: &mut Buffer<u32>) {
    ///     let both = slm::<u32, 8>();
    ///     both.write(local_id(0) * 16, &Vector::<u32, 4>::splat(local_id(0) + 5));
    ///     barrier();
    ///     output.write(local_id(0) * 32, &both.read::<8>(0));
    /// }
    ///
    /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 16)?;
    /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [5, 5, 5, 5, 6, 6, 6, 6, 5, 5, 5, 5, 6, 6, 6, 6]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn write<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<16>, B>, block: &M)
    where
        M::Shape: OwordWrite<T>,
    {
        self.write_any(offset, block);
    }
}

/// Forms without bounds: their sizes are checked when the kernel is recorded, not by `cargo check`.
///
/// Const-generic kernels and functions use them automatically. Call them in your own generic functions.
impl<T: Elem, const N: usize, B: Backend> Slm<T, N, B> {
    /// [`write`](Self::write) without a bound. The block is checked when the kernel is recorded.
    #[op]
    pub fn write_any<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<16>, B>, block: &M) {
        LinearBuffer::<T, B>::new(self.memory()).write_any(offset, block);
    }
}

/// Blocks of dwords.
impl<T: Elem, const N: usize, B: Backend> Slm<T, N, B> {
    /// Writes a vector, or a matrix row by row, starting at any multiple of 4 bytes. CM: `cm_store_slm`.
    ///
    /// The size and the rules for `offset` are those of [`LinearBuffer::store`]. A block that is partly outside the
    /// array is not written.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(output: &mut Buffer<u32>) {
    ///     let both = slm::<u32, 4>();
    ///     both.store(local_id(0) * 8, &Vector::<u32, 2>::splat(local_id(0) + 5));
    ///     barrier();
    ///     output.store(local_id(0) * 16, &both.load::<4>(0));
    /// }
    ///
    /// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
    /// k::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [5, 5, 6, 6, 5, 5, 6, 6]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn store<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<4>, B>, block: &M)
    where
        M::Shape: DwordBlock<T>,
    {
        self.store_any(offset, block);
    }

    /// [`store`](Self::store) without a bound. The size is checked when the kernel is recorded.
    #[op]
    pub fn store_any<M: LinearBlock<T, B>>(&self, offset: impl Offset<ByteOffset<4>, B>, block: &M) {
        LinearBuffer::<T, B>::new(self.memory()).store_any(offset, block);
    }
}

/// Blocks of any size, as several messages.
impl<T: Elem, const N: usize, B: Backend> Slm<T, N, B> {
    /// Writes a vector of any size, starting at byte `offset`. CM: `cmtl::WriteLinear`.
    ///
    /// It is equivalent to several [`write`](Self::write)s. The rules for the size and `offset` are those of
    /// [`LinearBuffer::write_linear`].
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// #[kernel]
    /// fn k(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    ///     let tile = slm::<u32, 40>();
    ///     tile.write_linear(0, &input.read_linear::<40>(0));
    ///     barrier();
    ///     output.write_linear(0, &tile.read_linear::<40>(0));
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let input = Buffer::from_slice(&device, &[7u32; 40])?;
    /// let mut output = Buffer::<u32>::new(&device, 40)?;
    /// k::launch(&device, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &input, &mut output)?;
    /// assert_eq!(output.to_vec()?, [7; 40]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn write_linear<const M: usize>(
        &self,
        offset: impl Offset<ByteOffset<16>, B>,
        elements: &Vector<T, M, B>,
    ) {
        LinearBuffer::<T, B>::new(self.memory()).write_linear(offset, elements);
    }
}

/// The methods of every row that writes: the methods of buffers, with `&self`.
macro_rules! methods {
    (
        $what:literal $caching:ident $default:expr;
        $(
            $(#[$doc:meta])*
            shared
            $(#[$shared_doc:meta])*
            $name:ident $any:ident [$($generics:tt)*] ($($arg:ident: $ty:ty),*) -> $out:ty
            where [$($buffer_bounds:tt)*] [$($bounds:tt)*] |$buffer:ident, $hints:ident| $body:expr;
        )*
    ) => {
        #[doc = concat!($what, ".")]
        impl<T: Elem, const N: usize, B: Backend> Slm<T, N, B> {
            $(
                $(#[$shared_doc])*
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
        impl<T: Elem, const N: usize, B: Backend> Slm<T, N, B> {
            $(
                #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") without a bound. The number")]
                /// of elements is checked when the kernel is recorded.
                #[op]
                pub fn $any<$($generics)*, const L: usize>(&self, $($arg: $ty),*) -> $out
                where
                    $($bounds)*,
                {
                    LinearBuffer::<T, B>::new(self.memory()).$any($($arg),*)
                }
            )*
        }
    };
}

scattered_writes!(methods);
atomic_operations!(methods);

/// Waits until all threads of the group have reached the barrier. Then each thread sees what the others wrote before
/// it. CM: `cm_slm_fence` and `cm_barrier`.
///
/// - All threads of a group must reach each barrier. A barrier under a staged condition that depends on the thread is
///   an error when the kernel is recorded. If some threads of a group end or wait elsewhere, the launch on the CPU
///   returns an error that names the line. A GPU hangs.
/// - Kernels call it as `barrier()`. In a thread space, and in plain Rust, it returns at once.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn neighbour(output: &mut Buffer<u32>) {
///     let ids = slm::<u32, 4>();
///     let own = Vector::<u32, 1>::splat(local_id(0));
///     ids.write_scattered(0, &own, &(own * 10));
///     barrier();
///     output.write_scattered(0, &own, &ids.read_scattered(0, &((own + 1) % 4)));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
/// neighbour::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [4, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [10, 20, 30, 0]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn barrier<B: Backend>() {
    B::sync(SyncKind::Barrier, &[]);
}

/// The first half of a [`barrier`]: tells the others that this thread has arrived, and continues. CM:
/// `cm_sbarrier(1)`, `cm_signal`.
///
/// - [`wait`] is the second half. Between the halves a thread can do work that does not depend on the others. The
///   halves must alternate: the CPU reports a second `signal()`, a `barrier()` between them and a missing `wait()`.
/// - In a thread space every thread is a separate group: both halves return at once, in any order. There this is CM's
///   `cm_signal`: with [dependencies](../../cm/guide/waves/index.html), threads wait until this one has completed.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn neighbour(output: &mut Buffer<u32>) {
///     let ids = slm::<u32, 4>();
///     let own = Vector::<u32, 1>::splat(local_id(0));
///     ids.write_scattered(0, &own, &(own * 10));
///     signal();
///     let next = (own + 1) % 4;
///     wait();
///     output.write_scattered(0, &own, &ids.read_scattered(0, &next));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
/// neighbour::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [4, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [10, 20, 30, 0]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn signal<B: Backend>() {
    B::sync(SyncKind::Signal, &[]);
}

/// The second half of a [`barrier`]: waits until all threads of the group have called [`signal`]. CM:
/// `cm_sbarrier(0)`, `cm_wait`.
///
/// In a thread space it returns at once. There it is CM's `cm_wait`: with
/// [dependencies](../../cm/guide/waves/index.html), a thread has already waited when it starts.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn halves(output: &mut Buffer<u32>) {
///     signal();
///     wait();
///     output.write(linear_global_id() * 16, &Vector::<u32, 4>::splat(1));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
/// halves::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [1; 8]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn wait<B: Backend>() {
    B::sync(SyncKind::Wait, &[]);
}

/// Makes the earlier writes of this thread visible to the other threads of the group before its later writes. CM:
/// `cm_slm_fence`, `cm_fence`.
///
/// [`barrier`] and [`signal`] include a fence. A fence does not wait for other threads.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn fenced(output: &mut Buffer<u32>) {
///     let own = slm::<u32, 4>();
///     own.write(0, &Vector::<u32, 4>::splat(3));
///     fence();
///     output.write(0, &own.read::<4>(0));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
/// fenced::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [1, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [3; 4]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn fence<B: Backend>() {
    B::sync(SyncKind::Fence, &[]);
}
