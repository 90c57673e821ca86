//! Transpositions in two steps. The hardware reads a register region from two neighbouring registers, so each
//! instruction would move only a few elements of a column.
//!
//! The first step takes some columns of some rows at once, evenly spaced, so that the second step finds the elements of
//! a column close to each other. The steps are those of CM's `Transpose_16x16`.

use std::cmp::Reverse;

use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::{Scalar, Ty};

/// Bytes that an instruction reads or writes.
const SPAN: usize = 64;
/// The largest step between the elements of a row of a region.
const LARGEST_STEP: usize = 4;

/// A matrix that is transposed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Matrix {
    rows: usize,
    columns: usize,
    /// Bytes of an element.
    size: usize,
}

/// How the first step takes a matrix apart.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Steps {
    /// The rows that are taken at once.
    rows: usize,
    /// From one column to the next one that is taken at once.
    step: usize,
}

impl Matrix {
    /// The matrix whose transposition is this region of all `count` elements.
    fn of(shape: FixedRegion, ty: Ty, count: usize) -> Option<Self> {
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

    /// The steps with the fewest instructions, if there are fewer than for columns one by one. The sides must be powers of two.
    fn steps(self) -> Option<Steps> {
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

impl Builder {
    /// A region of `count` elements, if it is the transposition of a matrix: in two steps if that is shorter, or by columns. As a
    /// single region of few elements the compiler takes it for a copy of the matrix.
    pub(crate) fn transposed(&mut self, x: Val, shape: FixedRegion, count: usize) -> Option<Val> {
        let matrix = Matrix::of(shape, x.ty, count).filter(|_| x.ty.scalar != Scalar::Bool)?;
        let Some(Steps { rows, step }) = matrix.steps() else {
            return Some(self.columns_as_rows(x, matrix, |column| (column, matrix.columns)));
        };
        let (columns, parts) = (matrix.columns / step, matrix.rows / rows);
        let mut taken = self.undefined(x.ty);
        for column in 0..step {
            for part in 0..parts {
                let offset = part * rows * matrix.columns + column;
                let region =
                    FixedRegion { offset, row_stride: matrix.columns, width: columns, column_stride: step };
                let own = self.region(x, region, rows * columns, None);
                let place = FixedRegion::row((column * parts + part) * rows * columns, rows * columns);
                taken = self.insert(taken, place, own, None);
            }
        }
        let start = |column| column % step * matrix.rows * columns + column / step;
        Some(self.columns_as_rows(taken, matrix, |column| (start(column), columns)))
    }

    /// The columns of a matrix as rows; each is at an offset of `x`, with a step from one element to the next.
    fn columns_as_rows(
        &mut self,
        x: Val,
        Matrix { rows, columns, .. }: Matrix,
        column: impl Fn(usize) -> (usize, usize),
    ) -> Val {
        let mut all = self.undefined(x.ty);
        for n in 0..columns {
            let (offset, column_stride) = column(n);
            let region = FixedRegion { offset, row_stride: rows * columns, width: rows, column_stride };
            let own = self.region(x, region, rows, None);
            all = self.insert(all, FixedRegion::row(n * rows, rows), own, None);
        }
        all
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
            (steps.is_some(), steps.map_or(matrix.one_by_one(), |steps| matrix.in_two(steps)))
        };
        assert_eq!(chosen(8, 8, 1), (false, 8), "one column is in two registers");
        assert_eq!(chosen(16, 16, 1), (true, 32), "as in CM's template library");
        assert_eq!(chosen(8, 8, 4), (true, 24));
        assert_eq!(chosen(16, 16, 4), (true, 128));
        assert_eq!(chosen(2, 2, 4), (false, 2));
    }
}
