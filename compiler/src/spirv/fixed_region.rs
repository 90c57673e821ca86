//! Regions in the form that the intrinsics take.

use std::ops::Range;

use super::module::Val;
use super::types::Ty;
use crate::limits::DWORD;

/// A region of known numbers, in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedRegion {
    /// The first element.
    pub(super) offset: usize,
    /// Elements from row to row.
    pub(super) row_stride: usize,
    /// Elements of a row.
    pub(super) width: usize,
    /// Elements from column to column.
    pub(super) column_stride: usize,
}

/// Whether the hardware has no regions with this distance between columns, so that elements are picked one by one.
pub(super) const fn is_picked_step(step: usize) -> bool {
    step > 2 && !step.is_power_of_two()
}

impl FixedRegion {
    /// `count` contiguous elements.
    pub(super) const fn row(offset: usize, count: usize) -> Self {
        Self { offset, row_stride: count, width: count, column_stride: 1 }
    }

    /// The region with these positions in rows of `width` elements, if there is one.
    pub(super) fn of(positions: &[usize], width: usize) -> Option<Self> {
        let offset = *positions.first()?;
        let step = |n: usize, default| positions.get(n).map_or(Some(default), |at| at.checked_sub(offset));
        let column_stride = if width > 1 { step(1, 1)? } else { 1 };
        let region = Self { offset, row_stride: step(width, width)?, width, column_stride };
        positions.iter().enumerate().all(|(n, at)| region.position(n) == *at).then_some(region)
    }

    /// The position of element `n`.
    pub(super) const fn position(self, n: usize) -> usize {
        self.offset + n / self.width * self.row_stride + n % self.width * self.column_stride
    }

    /// The position after the last of `count` elements.
    pub(super) fn end(self, count: usize) -> usize {
        if count == 0 || self.width == 0 {
            return 0;
        }
        let columns = self.width.min(count) - 1;
        let rows = count.div_ceil(self.width) - 1;
        self.offset + rows * self.row_stride + columns * self.column_stride + 1
    }

    /// All elements from the first one to the last one of `count`.
    pub(super) fn span(self, count: usize) -> Self {
        Self::row(self.offset, self.end(count) - self.offset)
    }

    /// Whether every row starts at a whole dword if its elements are of type `ty`.
    pub(super) fn is_of_dwords(self, ty: Ty) -> bool {
        let whole = |elements: usize| (elements * ty.elem_bytes()).is_multiple_of(DWORD);
        whole(self.offset) && (ty.count <= self.width || whole(self.row_stride))
    }

    /// The contiguous rows of `count` elements.
    pub(super) fn neighbours(self, count: usize) -> Vec<Range<usize>> {
        let width = if self.is_contiguous(count) { count } else { self.width };
        if self.column_stride != 1 && width != count {
            return vec![];
        }
        let starts = (0..count).step_by(width);
        starts.map(|n| self.position(n)..self.position(n) + width.min(count - n)).collect()
    }

    /// The rows of `count` elements with gaps, and what they cover.
    pub(super) fn gapped(self, count: usize) -> impl Iterator<Item = Range<usize>> {
        let last = (self.width.min(count) - 1) * self.column_stride;
        let starts = (0..count).step_by(self.width).filter(move |_| self.column_stride > 1);
        starts.map(move |n| self.position(n)..self.position(n) + last + 1)
    }

    /// Whether `count` elements are contiguous.
    pub(super) const fn is_contiguous(self, count: usize) -> bool {
        (self.column_stride == 1 || self.width == 1 || count == 1)
            && (count <= self.width || self.row_stride == self.width)
    }
}

/// An offset that is added at run time, in elements. If the region stays within a row for every offset and
/// the length of that row is known, `within` is the length: the compiler then needs less code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dynamic {
    /// A `u32`.
    pub(super) elements: Val,
    /// The length of the row that the region stays in.
    pub(super) within: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_positions() {
        let of = |positions: &[usize], width| {
            FixedRegion::of(positions, width)
                .map(|region| [region.offset, region.row_stride, region.width, region.column_stride])
        };
        assert_eq!(of(&[4, 12, 20, 5, 13, 21], 3), Some([4, 1, 3, 8]));
        assert_eq!(of(&[4, 5, 6, 7], 4), Some([4, 4, 4, 1]));
        assert_eq!(of(&[3, 6, 9], 1), Some([3, 3, 1, 1]));
        assert_eq!(of(&[4, 12, 20, 5, 13, 22], 3), None);
        assert_eq!(of(&[4, 3], 2), None, "backwards");
        assert_eq!(of(&[], 2), None);
    }
}
