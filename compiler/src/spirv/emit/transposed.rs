//! Transpositions in two steps. The hardware reads a register region from two neighbouring registers, so each
//! instruction would move only a few elements of a column.
//!
//! The first step takes some columns of some rows at once, evenly spaced, so that the second step finds the elements of
//! a column close to each other. The steps are those of CM's `Transpose_16x16`.

use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::{Builder, Val};
use crate::spirv::transposition::{Matrix, Steps};
use crate::spirv::types::Scalar;

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
