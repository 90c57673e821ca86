//! Numbers as patterns of `match`.

use super::Violation;

/// `number` is a pattern of a `match` on numbers from `least` to `most`.
///
/// # Errors
/// If it is none of them.
#[inline]
pub const fn pattern(number: i128, (least, most): (i128, i128)) -> Result<(), Violation> {
    if least <= number && number <= most { Ok(()) } else { Err(Violation::Pattern { number, least, most }) }
}
