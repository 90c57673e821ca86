//! Rows of elements, and those of several parts.

use crate::ir::{Region, Type};

/// The order of the elements of several parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// The parts are beside each other: the first row of each, then the second ones.
    Beside,
    /// The parts are below each other: all rows of the first one, then those of the next one.
    Below,
}

/// Evenly spaced rows of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Rows {
    pub(super) offset: usize,
    rows: usize,
    row_step: usize,
    width: usize,
    column_step: usize,
}

impl Rows {
    /// The rows that a region of this type is; `None` if they are not spaced evenly, or if their place is known only at run time.
    pub(super) fn of(region: Region, ty: Type) -> Option<Self> {
        let Region { offset, dynamic: None, row_stride, width, column_stride } = region else { return None };
        let (rows, columns) = (ty.rows, ty.columns);
        let [row_step, column_step] = match width {
            _ if width >= rows * columns => [columns * column_stride, column_stride],
            1 if rows == 1 => [columns * row_stride, row_stride],
            _ if width == columns => [row_stride, column_stride],
            _ if row_stride == width * column_stride => [columns * column_stride, column_stride],
            _ => return None,
        };
        Some(Self { offset, rows, row_step, width: columns, column_step })
    }

    /// The same rows so many elements further.
    pub(super) fn moved(self, elements: usize) -> Self {
        Self { offset: self.offset + elements, ..self }
    }

    /// The row and the column of the first element in a matrix of so many columns, if each of these rows is in one row of it.
    pub(super) fn place(self, columns: usize) -> Option<[usize; 2]> {
        let column = self.offset % columns;
        let inside = column + (self.width - 1) * self.column_step < columns;
        let is_place = inside && (self.rows == 1 || self.row_step.is_multiple_of(columns));
        is_place.then_some([self.offset / columns, column])
    }

    /// The region of these rows and those of the next parts, each `step` elements behind the one before. `None` if there is no
    /// such region.
    pub(super) fn of_parts(self, order: Order, parts: usize, step: usize) -> Option<Region> {
        let Self { offset, rows, row_step, width, column_step } = self;
        let [row_stride, width, column_stride] = match (order, rows, width) {
            _ if parts == 1 => [row_step, width, column_step],
            (_, 1, _) => [step, width, column_step],
            (Order::Beside, ..) if step * parts == row_step => [step, width, column_step],
            (Order::Beside, _, 1) => [row_step, parts, step],
            (Order::Below, ..) if step == rows * row_step => [row_step, width, column_step],
            (Order::Below, _, 1) => [step, rows, row_step],
            (Order::Below, ..) if row_step == width * column_step => [step, rows * width, column_step],
            _ => return None,
        };
        Some(Region { offset, dynamic: None, row_stride, width, column_stride })
    }

    /// The region of these rows of each of several matrices of this type, where these are put together.
    pub(super) fn of_matrices(self, order: Order, parts: usize, matrix: Type) -> Option<Region> {
        let Type { rows, columns, .. } = matrix;
        match order {
            Order::Below => self.of_parts(order, parts, rows * columns),
            Order::Beside => {
                let [row, column] = self.place(columns)?;
                let offset = row * parts * columns + column;
                Self { offset, row_step: self.row_step * parts, ..self }.of_parts(order, parts, columns)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elem::ElemType;

    fn ty(rows: usize, columns: usize) -> Type {
        Type::new(ElemType::U16, rows, columns)
    }

    fn region([offset, row_stride, width, column_stride]: [usize; 4]) -> Region {
        Region { offset, dynamic: None, row_stride, width, column_stride }
    }

    /// The part, and the element of it, that element `n` of so many parts is.
    fn element(order: Order, parts: usize, own: Type, n: usize) -> [usize; 2] {
        match order {
            Order::Below => [n / own.count(), n % own.count()],
            Order::Beside => {
                let (row, column) = (n / own.columns, n % own.columns);
                [row % parts, row / parts * own.columns + column]
            }
        }
    }

    /// Asserts that the region of four parts has the elements of each of them.
    fn check(order: Order, numbers: [usize; 4], own: Type, step: usize) -> bool {
        let rows = Rows::of(region(numbers), own);
        let Some(all) = rows.and_then(|rows| rows.of_parts(order, 4, step)) else { return false };
        for n in 0..4 * own.count() {
            let [part, element] = element(order, 4, own, n);
            let expected = region(numbers).position(element) + part * step;
            assert_eq!(all.position(n), expected, "{order:?} {numbers:?} {own}: {n}");
        }
        true
    }

    #[test]
    fn parts_beside_each_other() {
        let check = |numbers, own, step| check(Order::Beside, numbers, own, step);
        // Columns of rows of 16 elements, in both forms.
        assert!(check([1, 16, 1, 1], ty(8, 1), 4) && check([1, 128, 8, 16], ty(8, 1), 4));
        // Every second row, other distances, and the same elements for all parts.
        assert!(check([1, 32, 1, 1], ty(4, 1), 4) && check([1, 16, 1, 1], ty(8, 1), 2));
        assert!(check([1, 16, 1, 1], ty(8, 1), 0) && check([5, 4, 4, 1], ty(1, 4), 0));
        assert!(check([2, 16, 2, 1], ty(8, 2), 4) && check([0, 16, 2, 2], ty(8, 2), 4));
        assert!(check([5, 4, 4, 1], ty(1, 4), 16) && check([5, 2, 1, 1], ty(1, 4), 16));
        assert!(!check([2, 16, 2, 1], ty(8, 2), 2) && !check([2, 32, 2, 1], ty(4, 2), 4), "three distances");
        assert!(!check([0, 16, 3, 1], ty(2, 2), 4), "rows of other lengths");
    }

    #[test]
    fn parts_below_each_other() {
        let check = |numbers, own, step| check(Order::Below, numbers, own, step);
        assert!(check([8, 8, 8, 1], ty(1, 8), 8) && check([8, 1, 1, 1], ty(8, 1), 16));
        assert!(check([1, 16, 1, 1], ty(8, 1), 4) && check([0, 8, 8, 1], ty(2, 8), 16));
        assert!(check([0, 8, 8, 1], ty(2, 8), 32) && check([0, 16, 8, 1], ty(2, 8), 32));
        assert!(!check([0, 16, 8, 1], ty(2, 8), 8), "three distances");
    }

    #[test]
    fn rows_of_matrices_that_are_put_together() {
        // Element `n` of the first matrix is in the row `n / 4` of it.
        for (order, at) in [(Order::Beside, [0, 8]), (Order::Below, [0, 4])] {
            let of = |numbers, own| Rows::of(region(numbers), own)?.of_matrices(order, 2, ty(3, 4));
            for (numbers, own) in [
                ([1, 4, 1, 1], ty(3, 1)),
                ([1, 8, 1, 1], ty(2, 1)),
                ([8, 4, 4, 1], ty(1, 4)),
                ([0, 4, 2, 2], ty(3, 2)),
            ] {
                let all = of(numbers, own).unwrap();
                for n in 0..2 * own.count() {
                    let [part, own_element] = element(order, 2, own, n);
                    let of_first = region(numbers).position(own_element);
                    let (row, column) = (of_first / 4, of_first % 4);
                    let step = if order == Order::Beside { 4 } else { 12 };
                    assert_eq!(
                        all.position(n),
                        row * at[1] + column + part * step,
                        "{order:?} {numbers:?}: {n}"
                    );
                }
            }
        }
        let beside = |numbers, own| Rows::of(region(numbers), own)?.of_matrices(Order::Beside, 2, ty(3, 4));
        assert_eq!(beside([2, 4, 4, 1], ty(1, 4)), None, "parts of two rows");
        assert_eq!(beside([0, 5, 1, 1], ty(2, 1)), None, "a diagonal");
    }
}
