//! Parts of matrices: evenly spaced rows and columns.

use crate::ir::{Region, Type};

/// Evenly spaced rows and columns of a matrix.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Part {
    row: usize,
    row_step: usize,
    column: usize,
    column_step: usize,
}

impl Part {
    /// The part of a matrix that a region of type `own` is. `None` if it is none, if its place is known only at run time, or
    /// if its elements are in another order in a matrix whose columns are rows.
    pub(super) fn of(region: Region, own: Type, matrix: Type) -> Option<Self> {
        let count = own.count();
        let (width, all) = (region.width.min(count), matrix.columns);
        if region.dynamic.is_some() || width == 0 || !count.is_multiple_of(width) || all == 0 {
            return None;
        }
        let rows = count / width;
        let steps = match (rows, width) {
            // One column, as elements of one row or as rows of one element.
            (1, _) if is_vector(own) && width > 1 && region.column_stride.is_multiple_of(all) => {
                [region.column_stride / all, 0]
            }
            (1, _) if is_vector(own) => [0, region.column_stride],
            (_, 1) if is_vector(own) && region.row_stride.is_multiple_of(all) => [region.row_stride / all, 0],
            (_, 1) if is_vector(own) => [0, region.row_stride],
            _ if (rows, width) == (own.rows, own.columns) && region.row_stride.is_multiple_of(all) => {
                [region.row_stride / all, region.column_stride]
            }
            _ => return None,
        };
        let [row_step, column_step] = steps;
        let part = Self { row: region.offset / all, row_step, column: region.offset % all, column_step };
        // Rows that reach into the next ones, diagonals, and what is behind the end.
        let last = |steps: usize, step: usize| steps.saturating_sub(1) * step;
        let (rows, columns) = if is_vector(own) { (count, count) } else { (rows, width) };
        let inside =
            part.column + last(columns, column_step) < all && part.row + last(rows, row_step) < matrix.rows;
        inside.then_some(part)
    }

    /// The region of the matrix with columns as rows that is this part, of type `own`, with columns as rows unless it is a
    /// vector.
    pub(super) fn turned(self, own: Type, matrix: Type) -> Region {
        let offset = self.column * matrix.rows + self.row;
        let (row_stride, column_stride) = (self.column_step * matrix.rows, self.row_step);
        let count = own.count();
        let step = row_stride.max(column_stride);
        match own {
            Type { rows: 1, .. } => {
                Region { offset, dynamic: None, row_stride: count * step, width: count, column_stride: step }
            }
            Type { columns: 1, .. } => {
                Region { offset, dynamic: None, row_stride: step, width: 1, column_stride: 1 }
            }
            _ => Region { offset, dynamic: None, row_stride, width: own.rows, column_stride },
        }
    }
}

/// Whether a type has rows and columns. Those of bytes are powers of two: others take an instruction for each few elements in
/// both ways.
pub(super) const fn is_matrix(ty: Type) -> bool {
    let Some(elem) = ty.elem() else { return false };
    let even = ty.rows.is_power_of_two() && ty.columns.is_power_of_two();
    (elem.bytes() > 1 || even) && ty.rows > 1 && ty.columns > 1
}

/// Whether a type has one row or one column, and the same elements in the same order with columns as rows.
pub(super) const fn is_vector(ty: Type) -> bool {
    ty.rows == 1 || ty.columns == 1
}

/// The matrix type with columns as rows.
pub(super) const fn flipped(ty: Type) -> Type {
    Type { rows: ty.columns, columns: ty.rows, ..ty }
}

/// The transposition of a matrix.
pub(super) const fn transposition(ty: Type) -> Region {
    Region { offset: 0, dynamic: None, row_stride: 1, width: ty.rows, column_stride: ty.columns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elem::ElemType;

    fn ty(rows: usize, columns: usize) -> Type {
        Type::new(ElemType::U32, rows, columns)
    }

    fn region([offset, row_stride, width, column_stride]: [usize; 4]) -> Region {
        Region { offset, dynamic: None, row_stride, width, column_stride }
    }

    /// Asserts that a part of 6 x 8 elements has the same elements in the matrix with columns as rows.
    fn check(numbers: [usize; 4], own: Type) -> bool {
        let matrix = ty(6, 8);
        let Some(part) = Part::of(region(numbers), own, matrix) else { return false };
        let turned = part.turned(own, matrix);
        for n in 0..own.count() {
            let (row, column) = (n / own.columns, n % own.columns);
            let other = if is_vector(own) { n } else { column * own.rows + row };
            let (from, to) = (region(numbers).position(n), turned.position(other));
            assert_eq!((from / 8, from % 8), (to % 6, to / 6), "{numbers:?} {own}: {n}");
        }
        true
    }

    #[test]
    fn parts_have_the_same_elements() {
        assert!(check([0, 8, 8, 1], ty(6, 8)));
        assert!(check([9, 8, 3, 2], ty(4, 3)));
        assert!(check([1, 16, 7, 1], ty(3, 7)));
        // Rows and columns, as vectors of both kinds.
        assert!(
            check([8, 8, 8, 1], ty(1, 8)) && check([9, 1, 3, 2], ty(1, 3)) && check([8, 1, 1, 1], ty(8, 1))
        );
        assert!(
            check([3, 8, 1, 1], ty(6, 1)) && check([3, 8, 6, 8], ty(1, 6)) && check([3, 16, 1, 1], ty(1, 3))
        );
        assert!(check([5, 1, 1, 1], ty(1, 1)));
        // An element, or a row, that is repeated.
        assert!(check([5, 0, 1, 1], ty(1, 4)) && check([8, 0, 4, 1], ty(3, 4)));
    }

    #[test]
    fn others_are_no_parts() {
        assert!(!check([0, 8, 16, 1], ty(1, 16)), "two rows");
        assert!(!check([0, 8, 4, 1], ty(1, 8)), "four columns of two rows, as a vector");
        assert!(!check([0, 9, 1, 1], ty(4, 1)), "a diagonal");
        assert!(!check([6, 8, 4, 1], ty(2, 4)), "from row to row");
        assert!(!check([0, 4, 4, 1], ty(4, 4)), "half rows");
        assert!(!check([0, 16, 8, 1], ty(4, 8)), "behind the end");
    }
}
