//! Limits of whole objects: the register file, `format`, groups of elements, arrays of objects.

use super::Violation;
use super::numbers::{REGISTER_FILES, VALUE_BYTES};

/// An object fits a register file of `file` bytes: it is not empty, and smaller.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn object(bytes: usize, file: usize) -> Result<(), Violation> {
    if bytes == 0 {
        Err(Violation::ZeroSize)
    } else if bytes < file {
        Ok(())
    } else {
        Err(Violation::Object { bytes, file })
    }
}

/// A GPU has a register file of this number of bytes.
///
/// # Errors
/// If none has.
pub const fn register_file(bytes: usize) -> Result<(), Violation> {
    let mut n = 0;
    while n < REGISTER_FILES.len() {
        if bytes == REGISTER_FILES[n] {
            return Ok(());
        }
        n += 1;
    }
    Err(Violation::RegisterFile { bytes })
}

/// A value that is computed, such as the result of an operator, is not too large to address its parts.
///
/// # Errors
/// If it is.
#[inline]
pub const fn value(bytes: usize) -> Result<(), Violation> {
    if bytes <= VALUE_BYTES { Ok(()) } else { Err(Violation::Value { bytes }) }
}

/// A `format` to a matrix of `wanted` bytes keeps all `bytes`.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn format(bytes: usize, wanted: usize) -> Result<(), Violation> {
    if bytes == wanted { Ok(()) } else { Err(Violation::Format { bytes, wanted }) }
}

/// An array of `count` registers has an element `index`; returns it.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn array_element(index: i128, count: usize) -> Result<usize, Violation> {
    if index >= 0 && index < count as i128 {
        Ok(index as usize)
    } else {
        Err(Violation::ArrayElement { index, count })
    }
}

/// An object of `elements` consists of groups of `width` neighbours.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn groups(elements: usize, width: usize) -> Result<(), Violation> {
    if elements.is_multiple_of(width) { Ok(()) } else { Err(Violation::Groups { elements, width }) }
}
