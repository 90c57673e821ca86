//! The same kernel in fewer or cheaper instructions, for whatever executes it.
//!
//! ```text
//! ranges <- shortened (integers of 16 bits in place of longer ones)
//! forwarded, dead_stores (a kernel without variables and stores that are not needed)
//! ```

mod dead_stores;
mod forwarded;
mod ranges;
mod shortened;

use crate::ir::Function;

use dead_stores::without_dead_stores;
pub(crate) use forwarded::forwarded;
pub(crate) use ranges::{Ranges, number};
pub(crate) use shortened::{is_short, shortened};

/// The kernel without variables and stores that are not needed, and with arithmetic in 16 bits where all
/// numbers fit. It has the same results.
#[doc(hidden)]
#[must_use]
pub fn simplified(function: &Function) -> Function {
    let forwarded = without_variables(function);
    shortened(&forwarded, false).unwrap_or(forwarded)
}

/// The kernel without variables and stores that are not needed.
pub(crate) fn without_variables(function: &Function) -> Function {
    without_dead_stores(&forwarded(function))
}
