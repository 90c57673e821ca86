//! The coordinates of the kernel thread and of its group, and its clock.

use cm_compiler::ir::{Axis, ThreadId};
use cm_compiler::limits::Violation;
use cm_macros::op;

use crate::backend::{Backend, binary};
use crate::ops::{Add, Mul};
use crate::registers::{Scalar, Vector};

/// The column of this kernel thread in the thread space, from 0. CM: `get_thread_origin_x()`.
///
/// The type is `u32` (in CM: `ushort`). Kernels call it as `thread_origin_x()`. In plain Rust the column is
/// 0. In thread groups it is the column among all threads: `group_id(0) * local_size(0) + local_id(0)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(thread_origin_x::<cm::dsl::cpu::Cpu>().value(), 0);
/// ```
#[op]
pub fn thread_origin_x<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_id(ThreadId::Origin(Axis::X)))
}

/// The row of this kernel thread in the thread space, from 0. CM: `get_thread_origin_y()`.
///
/// The type is `u32` (in CM: `ushort`). Kernels call it as `thread_origin_y()`. In plain Rust the row is 0. In
/// thread groups it is the row among all threads: `group_id(1) * local_size(1) + local_id(1)`.
///
/// ```
/// use cm::prelude::*;
///
/// /// Writes the coordinates of every kernel thread.
/// #[kernel]
/// fn coordinates(output: &mut Surface2D) {
///     let (x, y) = (thread_origin_x(), thread_origin_y());
///     output.write(x * 4, y, &Vector::<u32, 1>::splat(y * 10 + x));
/// }
///
/// let mut output = Surface2D::new(&Device::cpu()?, Format::R32, 2, 2)?;
/// coordinates::launch(&Device::cpu()?, ThreadSpace::new(2, 2)?, &mut output)?;
/// assert_eq!(output.to_vec()?, [0, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0, 11, 0, 0, 0]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn thread_origin_y<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_id(ThreadId::Origin(Axis::Y)))
}

/// The axis of a dimension.
#[op]
fn axis<B: Backend>(dimension: usize) -> Axis {
    match Axis::ALL.get(dimension) {
        Some(axis) => *axis,
        None => {
            B::violation(Violation::Dimension { dimension });
            Axis::X
        }
    }
}

/// The coordinate of this kernel thread in its group, from 0. CM: `cm_local_id(dimension)`.
///
/// The type is `u32`. The dimension is 0, 1 or 2; another number is an error when the kernel is recorded.
/// Kernels call it as `local_id(0)`. It is 0 in a thread space, whose groups are single threads,
/// and in plain Rust.
///
/// # Panics
/// In plain Rust, if the dimension does not exist.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + local_id(0)));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 6)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 1, 1], [3, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [0, 1, 2, 0, 1, 2]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn local_id<B: Backend>(dimension: usize) -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_id(ThreadId::Local(axis::<B>(dimension))))
}

/// The number of threads of a group along a dimension. CM: `cm_local_size(dimension)`.
///
/// The type is `u32`. The dimension is 0, 1 or 2; another number is an error when the kernel is recorded.
/// Kernels call it as `local_size(0)`. It is 1 in a thread space, whose groups are single
/// threads, and in plain Rust.
///
/// # Panics
/// In plain Rust, if the dimension does not exist.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + local_size(0) * 10 + local_size(1)));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 3)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [3, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [31; 3]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn local_size<B: Backend>(dimension: usize) -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_id(ThreadId::LocalSize(axis::<B>(dimension))))
}

/// The coordinate of the group of this kernel thread, from 0. CM: `cm_group_id(dimension)`.
///
/// The type is `u32`. The dimension is 0, 1 or 2; another number is an error when the kernel is recorded.
/// Kernels call it as `group_id(0)`. In a thread space, whose groups are single threads, it is
/// `thread_origin_x()`, `thread_origin_y()` and 0 in the three dimensions; in plain Rust it is 0.
///
/// # Panics
/// In plain Rust, if the dimension does not exist.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + group_id(0)));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 6)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 1, 1], [3, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn group_id<B: Backend>(dimension: usize) -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_id(ThreadId::Group(axis::<B>(dimension))))
}

/// The number of groups of the launch along a dimension. CM: `cm_group_count(dimension)`.
///
/// The type is `u32`. The dimension is 0, 1 or 2; another number is an error when the kernel is recorded.
/// Kernels call it as `group_count(0)`. In a thread space, whose groups are single threads, it is the width, the
/// height and 1 in the three dimensions; in plain Rust it is 1.
///
/// # Panics
/// In plain Rust, if the dimension does not exist.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + group_count(0) * 10 + group_count(2)));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 6)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 1, 3], [1, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [23; 6]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn group_count<B: Backend>(dimension: usize) -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_id(ThreadId::GroupCount(axis::<B>(dimension))))
}

/// The product of a number over all dimensions.
#[op]
fn product<B: Backend>(id: fn(Axis) -> ThreadId) -> B::Reg<u32, 1, 1> {
    let rows = binary::<B, Mul, u32, 1, 1>(B::thread_id(id(Axis::Z)), B::thread_id(id(Axis::Y)));
    binary::<B, Mul, u32, 1, 1>(rows, B::thread_id(id(Axis::X)))
}

/// The linear number of these coordinates, row by row and plane by plane, in a range of these sizes.
#[op]
fn linear<B: Backend>(id: fn(Axis) -> ThreadId, count: fn(Axis) -> ThreadId) -> B::Reg<u32, 1, 1> {
    let planes = binary::<B, Mul, u32, 1, 1>(B::thread_id(id(Axis::Z)), B::thread_id(count(Axis::Y)));
    let rows = binary::<B, Add, u32, 1, 1>(planes, B::thread_id(id(Axis::Y)));
    let before = binary::<B, Mul, u32, 1, 1>(rows, B::thread_id(count(Axis::X)));
    binary::<B, Add, u32, 1, 1>(before, B::thread_id(id(Axis::X)))
}

/// The number of this kernel thread in its group: row by row, plane by plane, from 0. CM: `cm_linear_local_id()`.
///
/// The type is `u32`. Kernels call it as `linear_local_id()`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + linear_local_id()));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 1, 1], [2, 2, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [0, 1, 2, 3, 0, 1, 2, 3]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn linear_local_id<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(linear::<B>(ThreadId::Local, ThreadId::LocalSize))
}

/// The number of threads of a group. CM: `cm_linear_local_size()`.
///
/// The type is `u32`. Kernels call it as `linear_local_size()`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + linear_local_size()));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([1, 1, 1], [2, 2, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [4; 4]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn linear_local_size<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(product::<B>(ThreadId::LocalSize))
}

/// The number of the group of this kernel thread: row by row, plane by plane, from 0. CM: `cm_linear_group_id()`.
///
/// The type is `u32`. Kernels call it as `linear_group_id()`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + linear_group_id()));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 2, 1], [2, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [0, 0, 1, 1, 2, 2, 3, 3]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn linear_group_id<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(linear::<B>(ThreadId::Group, ThreadId::GroupCount))
}

/// The number of groups of the launch. CM: `cm_linear_group_count()`.
///
/// The type is `u32`. Kernels call it as `linear_group_count()`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + linear_group_count()));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 8)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 2, 1], [2, 1, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [4; 8]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn linear_group_count<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(product::<B>(ThreadId::GroupCount))
}

/// The number of this kernel thread in the launch, group by group: `linear_group_id() * linear_local_size() +
/// linear_local_id()`. CM: `cm_linear_global_id()`.
///
/// The type is `u32`. Kernels call it as `linear_global_id()`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + linear_global_id()));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 1, 1], [1, 2, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [0, 1, 2, 3]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn linear_global_id<B: Backend>() -> Scalar<u32, B> {
    let (group, size) = (linear_group_id::<B>(), linear_local_size::<B>());
    let first = binary::<B, Mul, u32, 1, 1>(group.into_reg(), size.into_reg());
    Scalar::from_reg(binary::<B, Add, u32, 1, 1>(first, linear_local_id::<B>().into_reg()))
}

/// The number of kernel threads of the launch. CM: `cm_linear_global_size()`.
///
/// The type is `u32`. Kernels call it as `linear_global_size()`.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn ids(output: &mut Buffer<u32>) {
///     let first = Vector::<u32, 1>::splat(0);
///     output.write_scattered(linear_global_id(), &first, &(first + linear_global_size()));
/// }
///
/// let mut output = Buffer::<u32>::new(&Device::cpu()?, 4)?;
/// ids::launch(&Device::cpu()?, ThreadGroups::new([2, 1, 1], [1, 2, 1])?, &mut output)?;
/// assert_eq!(output.to_vec()?, [4; 4]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn linear_global_size<B: Backend>() -> Scalar<u32, B> {
    let (groups, size) = (linear_group_count::<B>(), linear_local_size::<B>());
    Scalar::from_reg(binary::<B, Mul, u32, 1, 1>(groups.into_reg(), size.into_reg()))
}

/// The timestamp, which counts up while the kernel runs. CM: `cm_rdtsc()`.
///
/// Elements 0 and 1 are the lower and the upper half of the time. Element 2 is not 0 if the thread was
/// interrupted since the last read. Element 3 has no meaning. [`clock`] returns the time as one number.
///
/// Kernels call it as `rdtsc()`. The values differ from run to run and from device to device.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(rdtsc::<cm::dsl::cpu::Cpu>().get(2).value(), 0);
/// ```
#[op]
pub fn rdtsc<B: Backend>() -> Vector<u32, 4, B> {
    Vector::from_reg(B::clock())
}

/// The time as a number that counts up while the kernel runs. CM: `cm_clock()`.
///
/// A GPU returns ticks of the timestamp of the kernel thread's core, the CPU nanoseconds. Differences within a
/// kernel thread are meaningful; values of different threads or devices cannot be compared. The values differ
/// from run to run, so keep them out of results that are compared. GPU compilers may move arithmetic across the
/// call.
///
/// Kernels call it as `clock()`.
///
/// ```
/// use cm::prelude::*;
///
/// /// Writes how long a read takes.
/// #[kernel]
/// fn timed(input: &Surface2D, times: &mut Buffer<u64>, sums: &mut Surface2D) {
///     let start = clock();
///     let m = input.read::<u8, 8, 32>(0, 0);
///     let time = clock() - start;
///     times.write(0, &Vector::<u64, 2>::splat(time));
///     sums.write(0, 0, &m);
/// }
///
/// let device = Device::cpu()?;
/// let input = Surface2D::new(&device, Format::R8, 32, 8)?;
/// let (mut times, mut sums) = (Buffer::<u64>::new(&device, 2)?, Surface2D::new(&device, Format::R8, 32, 8)?);
/// timed::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut times, &mut sums)?;
/// let times = times.to_vec()?;
/// assert_eq!(times[0], times[1]);
/// # Ok::<(), cm::Error>(())
/// ```
#[op]
pub fn clock<B: Backend>() -> Scalar<u64, B> {
    Scalar::from_reg(B::format::<u32, u64, 1, 4, 1, 1>(&B::clock()))
}
