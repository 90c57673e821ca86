//! Arguments on GPUs.

use cm_compiler::ir::Field;
use cm_compiler::spirv::LinearShape;

#[cfg(not(level_zero))]
use super::disabled::{DeviceImage, DeviceMemory};
#[cfg(level_zero)]
use super::gpu::{DeviceImage, DeviceMemory};

/// An argument on a GPU; its memory may be on another GPU.
#[derive(Debug)]
#[cfg_attr(not(level_zero), expect(dead_code, reason = "nobody takes it where Level Zero is not built in"))]
pub(crate) enum Argument<'a> {
    /// A plane of a surface or a field of it, and whether the kernel writes it.
    Image { image: &'a DeviceImage, field: Option<Field>, writes: bool },
    /// A plane of a surface or a field of it in a buffer: its first byte, its layout, and whether the kernel writes it.
    Linear { memory: &'a DeviceMemory, first: usize, shape: LinearShape, writes: bool },
    /// A buffer, and whether the kernel writes it.
    Memory { memory: &'a DeviceMemory, writes: bool },
    /// The elements of a value, row by row.
    Uniform(&'a [u8]),
}
