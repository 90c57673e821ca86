//! Shared local memory.

use super::Violation;
use super::numbers::{OWORD, SHARED_BYTES};

/// The start of the next array of shared local memory after an array of `bytes` bytes at `start`.
#[inline]
#[must_use]
pub const fn shared_end(start: usize, bytes: usize) -> usize {
    match start.saturating_add(bytes).checked_next_multiple_of(OWORD) {
        Some(end) => end,
        None => usize::MAX,
    }
}

/// Arrays of shared local memory take `bytes` together.
///
/// # Errors
/// If a group has fewer.
#[inline]
pub const fn shared(bytes: usize) -> Result<(), Violation> {
    if bytes <= SHARED_BYTES { Ok(()) } else { Err(Violation::SharedMemory { bytes }) }
}

/// An array of shared local memory of `bytes` bytes is a number of elements of `elem` bytes.
///
/// # Errors
/// If the last element would be only partly inside: other arrays are next to it.
#[inline]
pub const fn shared_view(bytes: usize, elem: usize) -> Result<(), Violation> {
    if bytes.is_multiple_of(elem) { Ok(()) } else { Err(Violation::SharedView { bytes, elem }) }
}

/// An array of shared local memory has `elements` elements.
///
/// # Errors
/// If it has none.
#[inline]
pub const fn shared_elements(elements: usize) -> Result<(), Violation> {
    if elements == 0 { Err(Violation::SharedElements) } else { Ok(()) }
}
