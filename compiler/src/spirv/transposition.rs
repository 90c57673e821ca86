//! The instructions of a transposition, in one step or in two.

use std::cmp::Reverse;

use super::fixed_region::FixedRegion;
use super::types::Ty;

/// Bytes that an instruction reads or writes.
const SPAN: usize = 64;
/// The largest step between the elements of a row of a region.
const LARGEST_STEP: usize = 4;

/// A matrix that is transposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Bytes of an element.
    pub(crate) size: usize,
}

/// How the first step takes a matrix apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steps {
    /// The rows that are taken at once.
    pub(crate) rows: usize,
    /// From one column to the next one that is taken at once.
    pub(crate) step: usize,
}

impl Matrix {
    /// The matrix whose transposition is this region of all `count` elements.
    pub(crate) fn of(shape: FixedRegion, ty: Ty, count: usize) -> Option<Self> {
        let FixedRegion { offset, row_stride, width, column_stride } = shape;
        let is_whole = (offset, row_stride) == (0, 1) && width * column_stride == count && count == ty.count;
        (is_whole && width > 1 && column_stride > 1).then_some(Self {
            rows: width,
            columns: column_stride,
            size: ty.elem_bytes(),
        })
    }

    /// Elements that an instruction moves, of rows of `width` elements that are `distance` elements apart.
    fn moved(self, width: usize, step: usize, distance: usize) -> usize {
        let fitting = (SPAN / self.size / step).clamp(1, width);
        if fitting < width { fitting } else { width * (SPAN / self.size / distance).max(1) }
    }

    /// The instructions for columns one by one.
    fn one_by_one(self) -> usize {
        self.columns * self.rows.div_ceil(self.moved(1, 1, self.columns))
    }

    /// The instructions for two steps.
    fn in_two(self, Steps { rows, step }: Steps) -> usize {
        let columns = self.columns / step;
        let part = rows * columns;
        let first = part.div_ceil(self.moved(columns, step, self.columns).min(SPAN / self.size));
        let second = self.rows.div_ceil(self.moved(1, 1, columns));
        step * (self.rows / rows) * first + self.columns * second
    }

    /// The instructions of the shorter way.
    pub(crate) fn instructions(self) -> usize {
        self.steps().map_or_else(|| self.one_by_one(), |steps| self.in_two(steps))
    }

    /// The steps with the fewest instructions, if there are fewer than for columns one by one. The sides must be powers of two.
    pub(crate) fn steps(self) -> Option<Steps> {
        if !self.rows.is_power_of_two() || !self.columns.is_power_of_two() || self.size >= 8 {
            return None;
        }
        let powers =
            |last: usize| std::iter::successors(Some(2), |n| Some(n * 2)).take_while(move |n| *n <= last);
        let all = powers(self.rows).flat_map(|rows| {
            powers(LARGEST_STEP.min(self.columns / 2)).map(move |step| Steps { rows, step })
        });
        // Large parts are shorter on registers of 64 bytes.
        let best = all.min_by_key(|steps| (self.in_two(*steps), Reverse(steps.rows)))?;
        (self.in_two(best) < self.one_by_one()).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_each_matrix() {
        let chosen = |rows, columns, size| {
            let matrix = Matrix { rows, columns, size };
            let steps = matrix.steps();
            (steps.is_some(), matrix.instructions())
        };
        assert_eq!(chosen(8, 8, 1), (false, 8), "one column is in two registers");
        assert_eq!(chosen(16, 16, 1), (true, 32), "as in CM's template library");
        assert_eq!(chosen(8, 8, 4), (true, 24));
        assert_eq!(chosen(16, 16, 4), (true, 128));
        assert_eq!(chosen(2, 2, 4), (false, 2));
    }
}
