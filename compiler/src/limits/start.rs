//! The positions where a region may start.

/// The last position at which a region of `size`, `stride` apart, of `total` may start; `None` if it fits
/// nowhere.
#[inline]
#[must_use]
pub const fn last_start(total: usize, size: usize, stride: usize) -> Option<usize> {
    // An empty region fits anywhere; its emptiness is a separate violation.
    if size == 0 {
        return Some(total);
    }
    // Sizes that are too large must not wrap into smaller ones.
    let Some(last) = (size - 1).checked_mul(stride) else { return None };
    let Some(extent) = last.checked_add(1) else { return None };
    total.checked_sub(extent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{elements, reach, replicate};

    #[test]
    fn regions_that_exceed_the_type_fit_nowhere() {
        assert_eq!([last_start(8, 2, 7), last_start(8, 2, 8)], [Some(0), None]);
        for (size, stride) in [(2, usize::MAX), (3, usize::MAX / 2 + 1), (usize::MAX, 2)] {
            assert_eq!(last_start(8, size, stride), None, "{size} {stride}");
        }
        assert!(replicate(0, reach(2, usize::MAX, 1, 1), 8).is_err());
        assert!(elements(0, 8, 2, usize::MAX).is_err());
    }
}
