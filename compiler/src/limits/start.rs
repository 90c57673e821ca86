//! The positions where a region may start.

/// The last position at which a region of `size`, `stride` apart, of `total` may start; `None` if it fits
/// nowhere.
#[inline]
#[must_use]
pub const fn last_start(total: usize, size: usize, stride: usize) -> Option<usize> {
    // An empty region fits anywhere; its emptiness is a separate violation.
    if size == 0 { Some(total) } else { total.checked_sub((size - 1) * stride + 1) }
}
