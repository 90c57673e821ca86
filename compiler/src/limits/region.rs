//! Regions of an object: `select`, single rows, columns and elements, `replicate`.

use super::start::last_start;
use super::violation::Violation;

/// The size and the stride of one direction of a `select`.
///
/// # Errors
/// If one is 0, or the stride of a single row or element is not 1.
#[inline]
pub const fn region(size: usize, stride: usize) -> Result<(), Violation> {
    if size == 0 {
        Err(Violation::ZeroSize)
    } else if stride == 0 || (size == 1 && stride != 1) {
        Err(Violation::Stride { size, stride })
    } else {
        Ok(())
    }
}

/// Whether a region that starts at `offset` is inside.
#[inline]
const fn starts(offset: i128, total: usize, size: usize, stride: usize) -> bool {
    // `i128` holds the integers of every host type, so callers need not convert with care.
    match last_start(total, size, stride) {
        Some(last) => 0 <= offset && offset <= last as i128,
        None => false,
    }
}

macro_rules! inside {
    ($($(#[$doc:meta])* $name:ident($offset:ident, $total:ident $(, $size:ident, $stride:ident)?) $violation:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// If it does not.
        #[inline]
        pub const fn $name($offset: i128, $total: usize $(, $size: usize, $stride: usize)?) -> Result<(), Violation> {
            if inside!(@starts $offset, $total $(, $size, $stride)?) {
                Ok(())
            } else {
                Err(Violation::$violation { $offset, $total $(, $size, $stride)? })
            }
        }
    )*};
    (@starts $offset:ident, $total:ident) => { starts($offset, $total, 1, 1) };
    (@starts $offset:ident, $total:ident, $size:ident, $stride:ident) => { starts($offset, $total, $size, $stride) };
}

inside! {
    /// A `select` of `size` rows, `stride` apart, from row `offset`, is inside a matrix of `rows` rows.
    rows(offset, rows, size, stride) Rows;
    /// A `select` of `size` columns, `stride` apart, from column `offset`, is inside a matrix of `columns`
    /// columns.
    columns(offset, columns, size, stride) Columns;
    /// A `select` of `size` elements, `stride` apart, from element `offset`, is inside a vector of
    /// `elements`.
    elements(offset, elements, size, stride) Elements;
    /// A matrix of `rows` rows has row `offset`.
    row(offset, rows) Row;
    /// A matrix of `columns` columns has column `offset`.
    column(offset, columns) Column;
    /// An object of `elements` has element `offset`.
    element(offset, elements) Element;
}

/// The distance of the last element of a `replicate` from the first.
#[inline]
#[must_use]
pub const fn reach(rep: usize, vs: usize, w: usize, hs: usize) -> usize {
    // A size of 0 is refused elsewhere. Sizes that are too large must not wrap into smaller ones.
    let (rows, columns) = (rep.saturating_sub(1).saturating_mul(vs), w.saturating_sub(1).saturating_mul(hs));
    rows.saturating_add(columns)
}

/// A `replicate` from element `offset` on, whose last element is `reach` further on, stays inside an object of
/// `elements` elements.
///
/// # Errors
/// If it does not.
#[inline]
pub const fn replicate(offset: i128, reach: usize, elements: usize) -> Result<(), Violation> {
    // As a region of two elements: the first and the last element that are read.
    if starts(offset, elements, 2, reach) {
        Ok(())
    } else {
        Err(Violation::Replicate { offset, reach, elements })
    }
}
