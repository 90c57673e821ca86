//! Named barriers of a group of threads.

use super::Violation;
use super::numbers::{BARRIERS, GROUP_THREADS};

/// A kernel has `count` named barriers; `group_barrier` says whether it also has barriers of all threads.
///
/// # Errors
/// If there are none, or too many.
#[inline]
pub const fn named_barriers(count: usize, group_barrier: bool) -> Result<(), Violation> {
    let most = if group_barrier { BARRIERS - 1 } else { BARRIERS };
    if count > 0 && count <= most { Ok(()) } else { Err(Violation::NamedBarriers { count }) }
}

/// Named barrier `number` is one of `count`.
///
/// # Errors
/// If it is not.
#[inline]
pub const fn named_barrier(number: i128, count: usize) -> Result<(), Violation> {
    if number >= 0 && number < count as i128 {
        Ok(())
    } else {
        Err(Violation::NamedBarrier { number, count })
    }
}

/// A named barrier has `threads` producers, or consumers.
///
/// # Errors
/// If a group has fewer threads.
#[inline]
pub const fn barrier_threads(threads: i128) -> Result<(), Violation> {
    if threads >= 0 && threads <= GROUP_THREADS as i128 {
        Ok(())
    } else {
        Err(Violation::BarrierThreads { threads })
    }
}
