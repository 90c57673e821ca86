//! The instructions of a transposition: columns one by one, in two steps, or by putting rows between each other.

use std::cmp::Reverse;

use super::fixed_region::FixedRegion;
use super::types::Ty;

/// Bytes that an instruction reads or writes.
const SPAN: usize = 64;
/// The largest step between the elements of a row of a region.
const LARGEST_STEP: usize = 4;

/// A matrix that is transposed, or neighbouring columns of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Elements from row to row.
    pub(crate) distance: usize,
    /// Bytes of an element.
    pub(crate) size: usize,
}

/// How a matrix is transposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// Column by column.
    OneByOne,
    /// By parts of rows, and columns of these.
    InTwo(Steps),
    /// The elements of each row go between those of another one, until one row is left.
    Interlaced,
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
    /// A whole matrix of elements of `size` bytes.
    pub(crate) const fn whole(rows: usize, columns: usize, size: usize) -> Self {
        Self { rows, columns, distance: columns, size }
    }

    /// The matrix, or the columns of one, whose transposition is this region of `count` elements.
    pub(crate) fn of(shape: FixedRegion, ty: Ty, count: usize) -> Option<Self> {
        let FixedRegion { offset, row_stride, width, column_stride } = shape;
        if width < 2 || column_stride < 2 || row_stride != 1 || width * column_stride != ty.count {
            return None;
        }
        let columns = count / width;
        let inside = count.is_multiple_of(width) && offset + columns <= column_stride;
        (inside && columns > 1).then_some(Self {
            rows: width,
            columns,
            distance: column_stride,
            size: ty.elem_bytes(),
        })
    }

    /// Whether these are all columns.
    pub(crate) const fn is_whole(self) -> bool {
        self.columns == self.distance
    }

    /// Elements that an instruction moves, of rows of `width` elements that are `distance` elements apart.
    fn moved(self, width: usize, step: usize, distance: usize) -> usize {
        let fitting = (SPAN / self.size / step).clamp(1, width);
        if fitting < width { fitting } else { width * (SPAN / self.size / distance).max(1) }
    }

    /// The instructions for columns one by one.
    fn one_by_one(self) -> usize {
        self.columns * self.rows.div_ceil(self.moved(1, 1, self.distance))
    }

    /// The instructions for two steps.
    fn in_two(self, Steps { rows, step }: Steps) -> usize {
        let columns = self.columns / step;
        let part = rows * columns;
        let first = part.div_ceil(self.moved(columns, step, self.distance).min(SPAN / self.size));
        let second = self.rows.div_ceil(self.moved(1, 1, columns));
        step * (self.rows / rows) * first + self.columns * second
    }

    /// The instructions for rows between each other, half as many rows in each round.
    fn interlaced(self) -> usize {
        let rounds = (0..self.rows.ilog2()).map(|round| (self.rows >> round, self.columns << round));
        // Every second element of two registers is written.
        rounds.map(|(rows, length)| rows * length.div_ceil(SPAN / 2 / self.size)).sum()
    }

    /// The instructions of the shortest way.
    pub(crate) fn instructions(self) -> usize {
        match self.way() {
            Way::OneByOne => self.one_by_one(),
            Way::InTwo(steps) => self.in_two(steps),
            Way::Interlaced => self.interlaced(),
        }
    }

    /// The way with the fewest instructions. Others than columns one by one need sides that are powers of two.
    pub(crate) fn way(self) -> Way {
        if !self.rows.is_power_of_two() || !self.columns.is_power_of_two() || self.size >= 8 {
            return Way::OneByOne;
        }
        let powers =
            |last: usize| std::iter::successors(Some(2), |n| Some(n * 2)).take_while(move |n| *n <= last);
        let all = powers(self.rows).flat_map(|rows| {
            powers(LARGEST_STEP.min(self.columns / 2)).map(move |step| Steps { rows, step })
        });
        // Large parts are shorter on registers of 64 bytes.
        let best = all.min_by_key(|steps| (self.in_two(*steps), Reverse(steps.rows)));
        let two = best.map(|steps| (self.in_two(steps), Way::InTwo(steps)));
        let ways =
            [Some((self.one_by_one(), Way::OneByOne)), two, Some((self.interlaced(), Way::Interlaced))];
        let shortest = ways.into_iter().flatten().min_by_key(|(instructions, _)| *instructions);
        shortest.map_or(Way::OneByOne, |(_, way)| way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_each_matrix() {
        let chosen = |rows, columns, size| {
            let matrix = Matrix::whole(rows, columns, size);
            let way = match matrix.way() {
                Way::OneByOne => 1,
                Way::InTwo(_) => 2,
                Way::Interlaced => 3,
            };
            (way, matrix.instructions())
        };
        assert_eq!(chosen(8, 8, 1), (1, 8), "one column is in two registers");
        assert_eq!(chosen(16, 16, 1), (2, 32), "as in CM's template library");
        assert_eq!(chosen(8, 8, 4), (2, 24));
        assert_eq!(chosen(16, 16, 4), (2, 128));
        assert_eq!(chosen(2, 2, 4), (1, 2));
        assert_eq!(chosen(8, 16, 4), (3, 48), "three rounds");
        assert_eq!(chosen(16, 8, 4), (2, 48));
        assert_eq!(chosen(4, 16, 2), (3, 8));
        assert_eq!(chosen(4, 16, 8), (1, 64), "longer elements");
    }

    #[test]
    fn columns_of_a_matrix() {
        let region = |offset: usize, columns: usize| {
            let shape = FixedRegion { offset, row_stride: 1, width: 16, column_stride: 8 };
            Matrix::of(shape, Ty::I32.times(128), 16 * columns)
        };
        let half = Matrix { rows: 16, columns: 4, distance: 8, size: 4 };
        assert_eq!([region(0, 4), region(4, 4), region(5, 4)], [Some(half), Some(half), None]);
        assert_eq!(half.instructions(), 24);
        assert_eq!(region(0, 8), Some(Matrix::whole(16, 8, 4)));
        assert_eq!(region(3, 1), None);
    }
}
