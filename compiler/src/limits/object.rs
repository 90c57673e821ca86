//! Limits of whole objects, and the sizes of the register file and of thread spaces.

use super::Violation;

/// Bytes of a register up to Xe-HPG.
pub const REGISTER: usize = 32;
/// Registers of a thread.
pub const REGISTERS: usize = 128;
/// Bytes of the register file of a thread, with registers of 32 bytes.
pub const REGISTER_FILE: usize = REGISTERS * REGISTER;

/// Threads of a thread space, each way: the media walker's limit from Skylake on.
pub const THREAD_SPACE: usize = 2047;

/// Elements that an integer mask has bits for.
pub const MASK_BITS: usize = 32;

/// How deep blocks may be nested: little enough for the stack of a thread.
pub const MAX_DEPTH: usize = 128;

/// Elements of the largest object of the IR.
pub const MAX_ELEMENTS: usize = 4096;

/// An object fits the register file: it has 1 to 4095 bytes.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn object(bytes: usize) -> Result<(), Violation> {
    if bytes == 0 {
        Err(Violation::ZeroSize)
    } else if bytes < REGISTER_FILE {
        Ok(())
    } else {
        Err(Violation::Object { bytes })
    }
}

/// A `format` to a matrix of `wanted` bytes keeps all `bytes`.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn format(bytes: usize, wanted: usize) -> Result<(), Violation> {
    if bytes == wanted { Ok(()) } else { Err(Violation::Format { bytes, wanted }) }
}

/// An object of `elements` consists of groups of `width` neighbours.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn groups(elements: usize, width: usize) -> Result<(), Violation> {
    if elements.is_multiple_of(width) { Ok(()) } else { Err(Violation::Groups { elements, width }) }
}
