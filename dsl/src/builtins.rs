//! The coordinates of the kernel thread.

use cm_compiler::ir::Axis;
use cm_macros::op;

use crate::backend::Backend;
use crate::registers::Scalar;

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
