//! Steps of ranges.

use super::Violation;

/// A range has neighbouring values `step` apart.
///
/// # Errors
/// If it is not positive.
#[inline]
pub const fn step(step: i128) -> Result<(), Violation> {
    if step > 0 { Ok(()) } else { Err(Violation::Step { step }) }
}
