//! Places of the CPU backend: the bytes of an object, and where among them the elements lie.

use crate::elem::Elem;

/// Elements inside the bytes of a register object. Strides are in bytes.
#[derive(Debug)]
pub struct Place<'a> {
    bytes: &'a mut [u8],
    offset: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Place<'a> {
    #[inline(always)]
    pub(super) fn whole<T: Elem, const R: usize, const C: usize>(rows: &'a mut [[T; C]; R]) -> Self {
        let size = T::TYPE.bytes();
        let bytes = bytemuck::cast_slice_mut(rows.as_flattened_mut());
        Self { bytes, offset: 0, row_stride: C * size, column_stride: size }
    }

    /// From linear position `at` of rows of `columns` elements, with these strides of linear positions.
    #[inline(always)]
    pub(super) fn narrow(self, columns: usize, at: usize, row_stride: usize, column_stride: usize) -> Self {
        let step = |n: usize| (n / columns) * self.row_stride + (n % columns) * self.column_stride;
        let (offset, rows) = (self.offset + step(at), step(row_stride));
        Self {
            offset,
            row_stride: rows,
            column_stride: column_stride * self.column_stride,
            bytes: self.bytes,
        }
    }

    /// The same bytes from the start of the place on, as rows of `columns` elements `T` without gaps.
    #[inline(always)]
    pub(super) fn format<T: Elem>(self, columns: usize) -> Self {
        let size = T::TYPE.bytes();
        Self { row_stride: columns * size, column_stride: size, ..self }
    }

    #[inline(always)]
    pub(super) fn load<T: Elem, const R: usize, const C: usize>(&self) -> [[T; C]; R] {
        let size = T::TYPE.bytes();
        let mut rows = [[T::default(); C]; R];
        for (r, row) in rows.iter_mut().enumerate() {
            let start = self.offset + r * self.row_stride;
            if self.column_stride == size {
                bytemuck::cast_slice_mut(row).copy_from_slice(&self.bytes[start..start + C * size]);
            } else {
                for (c, x) in row.iter_mut().enumerate() {
                    let at = start + c * self.column_stride;
                    *x = bytemuck::pod_read_unaligned(&self.bytes[at..at + size]);
                }
            }
        }
        rows
    }

    #[inline(always)]
    pub(super) fn store<T: Elem, const R: usize, const C: usize>(&mut self, rows: &[[T; C]; R]) {
        let size = T::TYPE.bytes();
        for (r, row) in rows.iter().enumerate() {
            let start = self.offset + r * self.row_stride;
            if self.column_stride == size {
                self.bytes[start..start + C * size].copy_from_slice(bytemuck::cast_slice(row));
            } else {
                for (c, x) in row.iter().enumerate() {
                    let at = start + c * self.column_stride;
                    self.bytes[at..at + size].copy_from_slice(bytemuck::bytes_of(x));
                }
            }
        }
    }
}
