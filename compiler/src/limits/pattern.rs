//! Numbers as patterns of `match`.

use super::Violation;

/// `number` is a pattern of a `match` on numbers from `least` to `most`.
///
/// # Errors
/// If it is none of them.
#[inline]
pub const fn pattern(number: i128, (least, most): (i128, i128)) -> Result<(), Violation> {
    if least <= number && number <= most {
        return Ok(());
    }
    // The limits of every element type fit.
    Err(Violation::Pattern { number, least: least as i64, most: most as u64 })
}
