//! Named barriers: any threads of a group signal and wait for each other, as producers and consumers.

use std::fmt;

use cm_compiler::limits;
pub use cm_compiler::ops::BarrierRole;
use cm_compiler::ops::SyncKind;
use cm_macros::{inlined, op};

use crate::backend::{Backend, Staged, require};
use crate::cpu::Cpu;
use crate::elem::Int;
use crate::limits::{Len, NamedBarrierCount};
use crate::registers::{BarrierNumber, Counts, Offset, Position, Scalar};
use crate::stage::{Declared, DeclaredIn, Enters};

/// The `N` named barriers of a group of threads, numbered from 0. CM: `cm_nbarrier_init`.
///
/// [`named_barriers`] creates them. Unlike [`barrier`], a named barrier needs only the threads that its calls count:
///
/// - A thread [`signal`](Self::signal)s a barrier as a producer, as a consumer or as both. Each signal
///   declares how many producers and consumers the barrier has. When as many have signalled, the barrier is
///   complete.
/// - A thread that signalled as a consumer [`wait`](Self::wait)s for this. It then sees what all threads that signalled
///   wrote before. A thread that only produces continues at once.
/// - A complete barrier can be used again, also with other counts. A producer that signals a barrier again
///   must know that the last use is complete: it waits for another barrier, which the consumers signal.
///
/// Functions take the barriers as `&NamedBarriers<N>`.
///
/// GPUs have named barriers from Xe-HPC on (Ponte Vecchio, Xe2 and later); on others the launch returns an error.
/// It also returns an error if the driver's compiler leaves out their number (IGC 1.0.12504 does, IGC 2.40
/// does not). The CPU has them always.
///
/// On the CPU these faults are errors of the launch that name the barrier and the line; a GPU hangs or computes another
/// result: threads that declare different counts; more threads that signal than declared; a thread that waits
/// forever; a consumer that does not wait; a thread that waits without a signal. With
/// [race checks](../../cm/struct.Device.html#method.with_race_checks), so is a producer that overtakes the consumers.
///
/// [`barrier`]: crate::slm::barrier
///
/// ```
/// use cm::prelude::*;
///
/// /// Thread 0 produces, the others consume.
/// #[kernel]
/// fn broadcast(input: &Buffer<u32>, output: &mut Buffer<u32>) {
///     let shared = slm::<u32, 4>();
///     let barriers = named_barriers::<1>();
///     if local_id(0) == 0 {
///         shared.write(0, &(input.read::<4>(0) * 10));
///         barriers.signal(0, BarrierRole::Producer, 1, local_size(0) - 1);
///     } else {
///         barriers.signal(0, BarrierRole::Consumer, 1, local_size(0) - 1);
///         barriers.wait(0);
///         output.write(local_id(0) * 16, &shared.read::<4>(0));
///     }
/// }
///
/// let device = Device::cpu()?;
/// let input = Buffer::from_slice(&device, &[1u32, 2, 3, 4])?;
/// let mut output = Buffer::<u32>::new(&device, 12)?;
/// broadcast::launch(&device, ThreadGroups::new([1, 1, 1], [3, 1, 1])?, &input, &mut output)?;
/// assert_eq!(output.to_vec()?, [0, 0, 0, 0, 10, 20, 30, 40, 10, 20, 30, 40]);
/// # Ok::<(), cm::Error>(())
/// ```
pub struct NamedBarriers<const N: usize, B: Backend = Cpu> {
    backend: std::marker::PhantomData<B>,
}

impl<const N: usize, B: Backend> fmt::Debug for NamedBarriers<N, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamedBarriers").field(&N).finish()
    }
}

#[doc(hidden)]
impl<const N: usize, B: Backend> Staged<B> for NamedBarriers<N> {
    type Ty = NamedBarriers<N, B>;
}

#[doc(hidden)]
impl<const N: usize, B: Backend, M> Enters<NamedBarriers<N>, B, M> for NamedBarriers<N, B> {
    #[inlined]
    fn enter(self) -> Self {
        self
    }
}

#[doc(hidden)]
impl<const N: usize, B: Backend> Declared<B> for NamedBarriers<N> {
    type Ty = NamedBarriers<N, B>;
}

#[doc(hidden)]
impl<const N: usize, B: Backend, const FILE: usize> DeclaredIn<B, FILE> for NamedBarriers<N> {
    type Ty = NamedBarriers<N, B>;
}

/// Creates the `N` named barriers of a group. CM: `cm_nbarrier_init(N)`.
///
/// - Kernels call it as `named_barriers::<4>()`, once. A second call is an error when the kernel is recorded.
/// - `N` is 1 to 32; a kernel that also calls [`barrier`](crate::slm::barrier) has at most 31, which is
///   checked when the kernel is recorded.
/// - In a thread space every thread is a separate group, so only barriers of one thread are ever complete.
///
/// [`NamedBarriers`] describes them. In plain Rust they do nothing.
///
/// ```
/// use cm::prelude::*;
///
/// /// Pairs of threads exchange their numbers; each pair has its own barrier.
/// #[kernel]
/// fn exchange(output: &mut Buffer<u32>) {
///     let shared = slm::<u32, 8>();
///     let barriers = named_barriers::<4>();
///     let own = Vector::<u32, 1>::splat(local_id(0));
///     shared.write_scattered(0, &own, &own);
///     barriers.signal(local_id(0) / 2, BarrierRole::ProducerConsumer, 2, 2);
///     barriers.wait(local_id(0) / 2);
///     output.write_scattered(0, &own, &shared.read_scattered(0, &(own ^ 1)));
/// }
///
/// let device = Device::cpu()?;
/// let mut output = Buffer::<u32>::new(&device, 8)?;
/// exchange::launch(&device, ThreadGroups::new([1, 1, 1], [8, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [1, 0, 3, 2, 5, 4, 7, 6]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
#[must_use]
pub fn named_barriers<const N: usize, B: Backend>() -> NamedBarriers<N, B>
where
    Len<N>: NamedBarrierCount,
{
    named_barriers_any::<N, B>()
}

/// [`named_barriers`] without a bound. The number is checked when the kernel is recorded.
///
/// Const-generic kernels and functions use it automatically. Call it in your own generic functions.
#[op]
#[must_use]
pub fn named_barriers_any<const N: usize, B: Backend>() -> NamedBarriers<N, B> {
    B::named_barriers(N);
    NamedBarriers { backend: std::marker::PhantomData }
}

/// The number of producers or consumers of a named barrier: 0 to 128. Numbers of the host are checked when
/// the kernel is recorded.
#[derive(Debug)]
pub struct BarrierThreads;

impl<B: Backend> Counts<B> for BarrierThreads {
    type Value = B::Reg<u32, 1, 1>;

    #[op]
    fn host(number: i128) -> Self::Value {
        require::<B>(limits::barrier_threads(number));
        B::constant([[number as u32]])
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value {
        number.convert::<u32>().into_reg()
    }
}

/// The number of a barrier as a register.
#[op]
fn numbered<B: Backend>(barrier: Position<B>) -> B::Reg<u32, 1, 1> {
    match barrier {
        Position::Host(number) => B::constant([[number as u32]]),
        Position::Staged(number) => number.into_reg(),
    }
}

impl<const N: usize, B: Backend> NamedBarriers<N, B> {
    /// Tells barrier `barrier` that this thread has arrived, and continues. CM: `cm_nbarrier_signal`.
    ///
    /// - `barrier` is 0 to `N - 1`: `cargo check` checks literals, recording checks host numbers. A staged
    ///   number counts as `u32` and is clamped to the last barrier.
    /// - `role` says whether the thread counts as a producer, a consumer or both. A thread that signals as a
    ///   consumer must [`wait`](Self::wait) for the barrier afterwards.
    /// - `producers` and `consumers` are the threads that signal in these roles before the barrier is
    ///   complete: 0 to 128 each, literals, host numbers or staged numbers. All signals of one use declare
    ///   the same numbers. A thread of both roles counts twice.
    /// - The signal includes a [`fence`](crate::slm::fence).
    /// - It may be under any condition.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// Thread 0 fills one slot while thread 1 empties the other one.
    /// #[kernel]
    /// fn pipeline(input: &Buffer<u32>, output: &mut Buffer<u32>, steps: u32) {
    ///     let slots = slm::<u32, 8>();
    ///     // Barriers 0 and 1: the slot is full. Barriers 2 and 3: it is empty.
    ///     let barriers = named_barriers::<4>();
    ///     for step in 0..steps {
    ///         let slot = step % 2;
    ///         if local_id(0) == 0 {
    ///             if step >= 2 {
    ///                 barriers.signal(2 + slot, BarrierRole::Consumer, 1, 1);
    ///                 barriers.wait(2 + slot);
    ///             }
    ///             slots.write(slot * 16, &(input.read::<4>(step * 16) + 1));
    ///             barriers.signal(slot, BarrierRole::Producer, 1, 1);
    ///         } else {
    ///             barriers.signal(slot, BarrierRole::Consumer, 1, 1);
    ///             barriers.wait(slot);
    ///             output.write(step * 16, &slots.read::<4>(slot * 16));
    ///             if step + 2 < steps {
    ///                 barriers.signal(2 + slot, BarrierRole::Producer, 1, 1);
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let numbers: Vec<u32> = (0..20).collect();
    /// let input = Buffer::from_slice(&device, &numbers)?;
    /// let mut output = Buffer::<u32>::new(&device, 20)?;
    /// pipeline::launch(&device, ThreadGroups::new([1, 1, 1], [2, 1, 1])?, &input, &mut output, 5)?;
    /// assert_eq!(output.to_vec()?, (1..21).collect::<Vec<_>>());
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn signal(
        &self,
        barrier: impl Offset<BarrierNumber<N>, B>,
        role: BarrierRole,
        producers: impl Offset<BarrierThreads, B>,
        consumers: impl Offset<BarrierThreads, B>,
    ) {
        let operands = [numbered(barrier.value()), producers.value(), consumers.value()];
        B::sync(SyncKind::of_role(role), &operands);
    }

    /// Waits until barrier `barrier` is complete. CM: `cm_nbarrier_wait`.
    ///
    /// The thread must have [`signal`](Self::signal)led this use of the barrier as a consumer. It then sees
    /// what the threads that signalled the barrier wrote before. The rules for `barrier` are those of `signal`.
    ///
    /// ```
    /// use cm::prelude::*;
    ///
    /// /// The first half of the group waits for its own threads only.
    /// #[kernel]
    /// fn half(output: &mut Buffer<u32>) {
    ///     let sum = slm::<u32, 1>();
    ///     let first = Vector::<u32, 1>::splat(0);
    ///     let barriers = named_barriers::<1>();
    ///     if local_id(0) < 4 {
    ///         sum.write_atomic(atomic::Add(&(first + local_id(0))), &first);
    ///         barriers.signal(0, BarrierRole::ProducerConsumer, 4, 4);
    ///         barriers.wait(0);
    ///         output.write_scattered(local_id(0), &first, &sum.read_scattered(0, &first));
    ///     }
    /// }
    ///
    /// let device = Device::cpu()?;
    /// let mut output = Buffer::<u32>::new(&device, 4)?;
    /// half::launch(&device, ThreadGroups::new([1, 1, 1], [8, 1, 1])?, &mut output)?;
    /// assert_eq!(output.to_vec()?, [6; 4]);
    /// # Ok::<(), cm::Error>(())
    /// ```
    #[op]
    pub fn wait(&self, barrier: impl Offset<BarrierNumber<N>, B>) {
        B::sync(SyncKind::WaitNamed, &[numbered(barrier.value())]);
    }
}
