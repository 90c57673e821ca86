//! Limits of whole objects: the register file, `format`, groups of elements, arrays of objects.

use super::Violation;
use super::numbers::REGISTER_FILE;

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
