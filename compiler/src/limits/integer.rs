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

/// `number` becomes an integer from `least` to `most` of a type. The numbers of the signed and of the unsigned type of this
/// size are allowed, so that `!0` and `-1` have all bits set.
///
/// # Errors
/// If bits of the number would be lost.
#[inline]
pub const fn kept(number: i128, (least, most): (i128, i128)) -> Result<(), Violation> {
    let span = most - least;
    if -(span + 1) / 2 <= number && number <= span { Ok(()) } else { integer(number, (least, most)) }
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
