//! Transpositions in two steps, or in rounds. The hardware reads a register region from two neighbouring registers, so each
//! instruction would move only a few elements of a column.
//!
//! The first step takes some columns of some rows at once, evenly spaced, so that the second step finds the elements of
//! a column close to each other. The steps are those of CM's `Transpose_16x16`.
//!
//! Of few long rows, each round puts the elements of every row between those of the row that is half of the rows further on:
//!
//! ```text
//! a0 a1 a2 a3
//! b0 b1 b2 b3      a0 c0 a1 c1 a2 c2 a3 c3
//! c0 c1 c2 c3  ->  b0 d0 b1 d1 b2 d2 b3 d3  ->  a0 b0 c0 d0 a1 b1 c1 d1 ..
//! d0 d1 d2 d3
//! ```

use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::{Builder, Val};
use crate::spirv::transposition::{Matrix, Steps, Way};
use crate::spirv::types::Scalar;

impl Builder {
    /// A region of `count` elements, if it is the transposition of a matrix, or of neighbouring columns of one: in the shortest
    /// way. As a single region of few elements the compiler takes a whole matrix for its copy.
    pub(crate) fn transposed(&mut self, x: Val, shape: FixedRegion, count: usize) -> Option<Val> {
        let matrix = Matrix::of(shape, x.ty, count).filter(|_| x.ty.scalar != Scalar::Bool)?;
        let (first, Matrix { rows: all, columns, distance, .. }) = (shape.offset, matrix);
        let Steps { rows, step } = match matrix.way() {
            Way::OneByOne => {
                let column = |column| (column, distance);
                return matrix.is_whole().then(|| self.columns_as_rows(x, matrix, column));
            }
            Way::Interlaced => return Some(self.interlaced(x, first, matrix)),
            Way::InTwo(steps) => steps,
        };
        let (columns, parts) = (columns / step, all / rows);
        let mut taken = self.undefined(x.ty.times(count));
        for column in 0..step {
            for part in 0..parts {
                let offset = first + part * rows * distance + column;
                let region =
                    FixedRegion { offset, row_stride: distance, width: columns, column_stride: step };
                let own = self.region(x, region, rows * columns, None);
                let place = FixedRegion::row((column * parts + part) * rows * columns, rows * columns);
                taken = self.insert(taken, place, own, None);
            }
        }
        let start = |column| column % step * all * columns + column / step;
        Some(self.columns_as_rows(taken, matrix, |column| (start(column), columns)))
    }

    /// A matrix transposed in rounds. Its columns start at `first`.
    fn interlaced(&mut self, x: Val, first: usize, matrix: Matrix) -> Val {
        let Matrix { rows, columns, distance, .. } = matrix;
        let (mut of, mut first, mut distance) = (x, first, distance);
        for round in 0..rows.ilog2() {
            let (left, length) = (rows >> (round + 1), columns << round);
            let mut all = self.undefined(x.ty.times(rows * columns));
            for row in 0..left {
                for part in 0..2 {
                    let start = first + (row + part * left) * distance;
                    let own = self.region(of, FixedRegion::row(start, length), length, None);
                    let offset = row * 2 * length + part;
                    let place =
                        FixedRegion { offset, row_stride: 2 * length, width: length, column_stride: 2 };
                    all = self.insert(all, place, own, None);
                }
            }
            (of, first, distance) = (all, 0, 2 * length);
        }
        of
    }

    /// The columns of a matrix as rows; each is at an offset of `x`, with a step from one element to the next.
    fn columns_as_rows(
        &mut self,
        x: Val,
        Matrix { rows, columns, .. }: Matrix,
        column: impl Fn(usize) -> (usize, usize),
    ) -> Val {
        let mut all = self.undefined(x.ty.times(rows * columns));
        for n in 0..columns {
            let (offset, column_stride) = column(n);
            let region = FixedRegion { offset, row_stride: rows * columns, width: rows, column_stride };
            let own = self.region(x, region, rows, None);
            all = self.insert(all, FixedRegion::row(n * rows, rows), own, None);
        }
        all
    }
}
