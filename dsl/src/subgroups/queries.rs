//! Queries of a work item about its sub-group, and the barrier.

use std::ops::BitOr;

use cm_macros::{inlined, op};

use crate::backend::Backend;
use crate::limits::{Len, SubGroup};
use crate::registers::{Scalar, Vector};

/// The number of work items of the sub-group, `N`. OpenCL: `get_sub_group_size()`.
///
/// Every sub-group has the maximum size. Kernels write `sub_group_size::<16>()`, or `sub_group_size()` if the
/// size follows from the use; the last type argument is for plain Rust.
///
/// ```
/// use cm::dsl::cpu::Cpu;
/// use cm::subgroups::sub_group_size;
/// assert_eq!(sub_group_size::<16, Cpu>().value(), 16);
/// ```
#[op]
pub fn sub_group_size<const N: usize, B: Backend>() -> Scalar<u32, B>
where
    Len<N>: SubGroup,
{
    Scalar::constant(N as u32)
}

/// The largest number of work items of a sub-group, `N`. OpenCL: `get_max_sub_group_size()`.
///
/// ```
/// use cm::dsl::cpu::Cpu;
/// use cm::subgroups::max_sub_group_size;
/// assert_eq!(max_sub_group_size::<32, Cpu>().value(), 32);
/// ```
#[op]
pub fn max_sub_group_size<const N: usize, B: Backend>() -> Scalar<u32, B>
where
    Len<N>: SubGroup,
{
    Scalar::constant(N as u32)
}

/// The number of sub-groups of the work group: 1. OpenCL: `get_num_sub_groups()`.
///
/// ```
/// use cm::dsl::cpu::Cpu;
/// use cm::subgroups::num_sub_groups;
/// assert_eq!(num_sub_groups::<Cpu>().value(), 1);
/// ```
#[op]
pub fn num_sub_groups<B: Backend>() -> Scalar<u32, B> {
    // A work group is one sub-group, which is one kernel thread.
    Scalar::constant(1)
}

/// The number of sub-groups of a work group in the uniform part of the launch: 1. OpenCL:
/// `get_enqueued_num_sub_groups()`.
///
/// ```
/// use cm::dsl::cpu::Cpu;
/// use cm::subgroups::enqueued_num_sub_groups;
/// assert_eq!(enqueued_num_sub_groups::<Cpu>().value(), 1);
/// ```
#[op]
pub fn enqueued_num_sub_groups<B: Backend>() -> Scalar<u32, B> {
    Scalar::constant(1)
}

/// The number of the sub-group in its work group: 0. OpenCL: `get_sub_group_id()`.
///
/// The coordinates of the work group are [`thread_origin_x`](crate::builtins::thread_origin_x) and
/// [`thread_origin_y`](crate::builtins::thread_origin_y).
///
/// ```
/// use cm::dsl::cpu::Cpu;
/// use cm::subgroups::sub_group_id;
/// assert_eq!(sub_group_id::<Cpu>().value(), 0);
/// ```
#[op]
pub fn sub_group_id<B: Backend>() -> Scalar<u32, B> {
    Scalar::constant(0)
}

/// The number of each work item in the sub-group: lane `k` is `k`, 0 to `N - 1`. OpenCL:
/// `get_sub_group_local_id()`.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::*;
///
/// /// Writes `get_global_id(0)` of every work item.
/// #[kernel]
/// fn global_ids(output: &mut Buffer<u32>) {
///     let id: Vector<u32, 16> = thread_origin_x() * sub_group_size::<16>() + sub_group_local_id();
///     sub_group_block_write(output, thread_origin_x() * 64, id);
/// }
///
/// let device = Device::cpu()?;
/// let mut output = Buffer::new(&device, 48)?;
/// global_ids::launch(&device, ThreadSpace::new(3, 1)?, &mut output)?;
/// assert_eq!(output.to_vec()?, (0..48).collect::<Vec<u32>>());
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn sub_group_local_id<const N: usize, B: Backend>() -> Vector<u32, N, B>
where
    Len<N>: SubGroup,
{
    Vector::constant_any(work_items())
}

/// The memory that a barrier orders. Flags are combined with `|`. OpenCL: `cl_mem_fence_flags`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemFence(u8);

impl MemFence {
    /// Shared local memory. OpenCL: `CLK_LOCAL_MEM_FENCE`.
    pub const LOCAL: Self = Self(1);
    /// Buffers. OpenCL: `CLK_GLOBAL_MEM_FENCE`.
    pub const GLOBAL: Self = Self(2);
    /// Surfaces. OpenCL: `CLK_IMAGE_MEM_FENCE`.
    pub const IMAGE: Self = Self(4);
}

impl BitOr for MemFence {
    type Output = Self;
    #[inlined]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The work items to which a barrier makes accesses visible. OpenCL: `memory_scope`.
///
/// There are no wider scopes: a kernel thread must not read what another one writes in the same launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum MemoryScope {
    /// The work items of the sub-group. OpenCL: `memory_scope_sub_group`.
    SubGroup,
    /// The work items of the work group, which is one sub-group. OpenCL: `memory_scope_work_group`.
    WorkGroup,
}

/// Waits for all work items of the sub-group, and orders their accesses to memory. OpenCL:
/// `sub_group_barrier(flags)`.
///
/// The call has no effect, because the lanes of a kernel thread execute every statement together, and a thread
/// sees its own writes in the order of its statements. It documents the assumption of the kernel.
///
/// ```
/// use cm::prelude::*;
/// use cm::subgroups::*;
///
/// /// Each work item receives the element of the next one through memory.
/// #[kernel]
/// fn rotate(data: &mut Buffer<u32>) {
///     let mine = sub_group_block_read::<8>(data, 0);
///     sub_group_block_write(data, 32, mine);
///     sub_group_barrier(MemFence::GLOBAL);
///     sub_group_block_write(data, 0, sub_group_block_read::<8>(data, 4));
/// }
///
/// let device = Device::cpu()?;
/// let mut data = Buffer::from_slice(&device, &[0u32, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0])?;
/// rotate::launch(&device, ThreadSpace::new(1, 1)?, &mut data)?;
/// assert_eq!(data.to_vec()?[..8], [1, 2, 3, 4, 5, 6, 7, 0]);
/// # Ok::<(), cm::Error>(())
/// ```
#[inlined]
pub fn sub_group_barrier(flags: MemFence) {
    sub_group_barrier_scope(flags, MemoryScope::SubGroup);
}

/// [`sub_group_barrier`] with a scope; it has no effect either. OpenCL: `sub_group_barrier(flags, scope)`.
///
/// ```
/// use cm::subgroups::{MemFence, MemoryScope, sub_group_barrier_scope};
/// sub_group_barrier_scope(MemFence::LOCAL | MemFence::GLOBAL, MemoryScope::SubGroup);
/// ```
#[inlined]
pub fn sub_group_barrier_scope(flags: MemFence, scope: MemoryScope) {
    // There is only one thread, whose accesses are already in order.
    let _ = (flags, scope);
}

/// The numbers of the work items.
#[inlined]
pub(super) fn work_items<const N: usize>() -> [u32; N] {
    let mut numbers = [0; N];
    let mut lane = 0;
    while lane < N {
        numbers[lane] = lane as u32;
        lane += 1;
    }
    numbers
}
