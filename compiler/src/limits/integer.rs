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

/// A host number of type `usize` or `isize` is an `i32` for registers and operators.
///
/// # Errors
/// If it is no `i32`.
#[inline]
pub const fn host_number(number: i128) -> Result<(), Violation> {
    if i32::MIN as i128 <= number && number <= i32::MAX as i128 {
        return Ok(());
    }
    Err(Violation::HostNumber { number })
}
