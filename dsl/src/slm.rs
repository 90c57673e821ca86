//! Shared local memory of a group of threads, and the barriers of the group.

use std::fmt;
use std::ops::Deref;

use cm_compiler::ops::SyncKind;
use cm_macros::{inlined, op};

use crate::backend::{Backend, Staged};
use crate::cpu::Cpu;
use crate::elem::Elem;
use crate::slm_view::SlmView;
use crate::stage::{Declared, DeclaredIn, Enters};

/// An array of `N` elements that the threads of a group share: shared local memory. CM: `cm_slm_init`,
/// `cm_slm_alloc`.
///
/// [`slm`] creates it. It is read like a [buffer](crate::buffer::LinearBuffer), with [`read`], [`read_dwaligned`] and
/// [`read_scattered`], and written with the methods of [`SlmView`], which take `&self`. It has no 2-D blocks, and no
/// writes with cache hints: shared memory has no caches. [`format`](SlmView::format) is the array as elements of another
/// type. Helpers take it as `&Slm<T, N>`, or as `&Buffer<T>` for reading.
///
/// - Elements outside the array read as 0; out-of-bounds writes are dropped. A block that is partly outside reads as
///   0 and is not written.
/// - A thread sees what other threads wrote before the last [`barrier`]. Without a barrier between them, a write
///   and another access to the same bytes are a race, unless both are atomic.
/// - When a group starts, the memory holds 0 on the CPU and undefined values on a GPU.
///
/// [`read`]: crate::buffer::LinearBuffer::read
/// [`read_dwaligned`]: crate::buffer::LinearBuffer::read_dwaligned
/// [`read_scattered`]: crate::buffer::LinearBuffer::read_scattered
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
    elements: SlmView<T, B>,
}

impl<T: Elem, const N: usize, B: Backend> fmt::Debug for Slm<T, N, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slm").field(&T::TYPE).field(&N).finish()
    }
}

impl<T: Elem, const N: usize, B: Backend> Deref for Slm<T, N, B> {
    type Target = SlmView<T, B>;

    #[inlined]
    fn deref(&self) -> &SlmView<T, B> {
        &self.elements
    }
}

#[doc(hidden)]
impl<T: Elem, const N: usize, B: Backend> Staged<B> for Slm<T, N> {
    type Ty = Slm<T, N, B>;
}

#[doc(hidden)]
impl<T: Elem, B: Backend, M, const N: usize> Enters<Slm<T, N>, B, M> for Slm<T, N, B> {
    #[inlined]
    fn enter(self) -> Self {
        self
    }
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
///     let own = math::sum::<u32, _>(x.read::<8>(linear_global_id() * 32));
///     sum.write_atomic(atomic::Add(own), 0);
///     barrier();
///     y.write_scattered(linear_global_id(), 0, &sum.read_scattered(0, 0));
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
    Slm { elements: SlmView::new(B::shared::<T>(N)) }
}

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
