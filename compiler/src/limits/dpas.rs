//! Limits of the matrix engine.

use super::Violation;
use super::numbers::{DPAS_LANES, DPAS_ROWS};

/// `dpas` makes 1 to 8 rows of 8 or 16 sums.
///
/// # Errors
/// If it does not make so many.
#[inline]
pub const fn dpas(rows: usize, lanes: usize) -> Result<(), Violation> {
    let [few, many] = DPAS_LANES;
    if rows >= 1 && rows <= DPAS_ROWS && (lanes == few || lanes == many) {
        Ok(())
    } else {
        Err(Violation::Dpas { rows, lanes })
    }
}
