//! Integers without a type that take one.

use super::Violation;

/// `number` is one of the integers from `least` to `most` of a type.
///
/// # Errors
/// If it is none of them.
#[inline]
pub const fn integer(number: i128, (least, most): (i128, i128)) -> Result<(), Violation> {
    if least <= number && number <= most {
        return Ok(());
    }
    // The limits of every element type fit.
    Err(Violation::Integer { number, least: least as i64, most: most as u64 })
}
