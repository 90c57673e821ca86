//! Built-in functions: the coordinates of the kernel thread.

use cm_compiler::ir::Axis;
use cm_macros::op;

use crate::backend::Backend;
use crate::registers::Scalar;

/// The column of this thread in the thread space. CM: `get_thread_origin_x()`, here as `u32`.
///
/// In kernels it is called without a type argument; in plain Rust there is one thread, at 0.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(thread_origin_x::<cm::dsl::cpu::Cpu>().value(), 0);
/// ```
#[op]
pub fn thread_origin_x<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_origin(Axis::X))
}

/// The row of this thread in the thread space. CM: `get_thread_origin_y()`, here as `u32`.
///
/// In kernels it is called without a type argument; in plain Rust there is one thread, at 0.
#[op]
pub fn thread_origin_y<B: Backend>() -> Scalar<u32, B> {
    Scalar::from_reg(B::thread_origin(Axis::Y))
}
