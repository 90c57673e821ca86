//! Limits of the matrix engine.

use super::Violation;
use super::numbers::{DPAS_LANES, DPAS_ROWS};

/// `dpas` computes 1 to 8 rows of 8 or 16 sums.
///
/// # Errors
/// If the sizes differ from these.
#[inline]
pub const fn dpas(rows: usize, lanes: usize) -> Result<(), Violation> {
    let [few, many] = DPAS_LANES;
    if rows >= 1 && rows <= DPAS_ROWS && (lanes == few || lanes == many) {
        Ok(())
    } else {
        Err(Violation::Dpas { rows, lanes })
    }
}
