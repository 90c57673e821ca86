//! The coordinates of the kernel thread, and its clock.

use cm_compiler::ir::Axis;
use cm_macros::op;

use crate::backend::Backend;
use crate::registers::{Scalar, Vector};

/// The column of this kernel thread in the thread space, from 0. CM: `get_thread_origin_x()`.
///
/// The type is `u32` (in CM: `ushort`). Kernels call it as `thread_origin_x()`. In plain Rust the column is
/// 0.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(thread_origin_x::<cm::dsl::cpu::Cpu>().value(), 0);
/// ```
#[op]
pub fn thread_origin_x<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_origin(Axis::X))
}

/// The row of this kernel thread in the thread space, from 0. CM: `get_thread_origin_y()`.
///
/// The type is `u32` (in CM: `ushort`). Kernels call it as `thread_origin_y()`. In plain Rust the row is 0.
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
    Scalar::from_reg(B::thread_origin(Axis::Y))
}

/// The timestamp, which counts up while the kernel runs. CM: `cm_rdtsc()`.
///
/// Elements 0 and 1 are the lower and the upper half of the time, element 2 is not 0 if the thread was
/// interrupted since it was last read, and element 3 has no meaning. [`clock`] is the time as one number.
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
/// On a GPU these are ticks of the timestamp that the kernel thread's core has, on the CPU nanoseconds.
/// Differences within a kernel thread have a meaning; values of two threads or devices cannot be compared. The
/// values differ from run to run, so keep them out of results that are compared. GPU compilers may move
/// arithmetic across the call.
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
