//! Regions of 64-bit elements that Intel's compiler does not take as they are.

use crate::spirv::fixed_region::{Dynamic, FixedRegion};
use crate::spirv::module::{Builder, Val};
use crate::spirv::types::Ty;

impl Builder {
    /// 64-bit elements as pairs of dwords.
    pub(crate) fn in_dwords(&mut self, x: Val) -> Val {
        self.format(x, Ty::I32.times(x.ty.count * 2))
    }

    /// An opaque copy of contiguous 64-bit elements at an offset that is known at run time. The compilers otherwise copy
    /// addresses instead of elements when they take pairs of dwords of it.
    pub(crate) fn longs_at(&mut self, x: Val, row: FixedRegion, elements: Val) -> Val {
        // The elements may be in several rows.
        let dynamic = Dynamic { elements, within: None };
        let copy = self.region(x, row, row.width, Some(dynamic));
        // The compiler does not know which elements of `x` these are, so it omits none.
        self.chosen.remove(&copy.id);
        let dwords = self.in_dwords(copy);
        let dwords = self.apart(dwords);
        self.format(dwords, copy.ty)
    }

    /// Repeated rows of 64-bit elements, as rows of dwords. If the target does not compute with such elements, the
    /// compiler crashes on parts of these rows.
    pub(crate) fn repeated_longs(&mut self, x: Val, shape: FixedRegion, count: usize) -> Option<Val> {
        let FixedRegion { offset, row_stride, width, column_stride } = shape;
        if x.ty.bits() != 64 || row_stride != 0 || column_stride == 0 || width == 1 || count <= width {
            return None;
        }
        if column_stride > 1 {
            // As pairs of dwords: the compiler also crashes on moves between elements with gaps.
            let all = self.in_dwords(x);
            let pairs =
                FixedRegion { offset: offset * 2, row_stride: column_stride * 2, width: 2, column_stride: 1 };
            let row = self.region(all, pairs, width * 2, None);
            let row = self.format(row, x.ty.times(width));
            let neighbours = FixedRegion { offset: 0, column_stride: 1, ..shape };
            return self.repeated_longs(row, neighbours, count);
        }
        let dwords = self.in_dwords(x);
        let pairs = FixedRegion { offset: offset * 2, row_stride, width: width * 2, column_stride };
        let result = self.region(dwords, pairs, count * 2, None);
        // The optimiser would make it a region of 64-bit elements again.
        let result = if self.long_registers { result } else { self.hidden(result) };
        Some(self.format(result, x.ty.times(count)))
    }

    /// A region of 64-bit elements that are repeated, or whose rows cross. If the target does not compute
    /// with such elements, the compiler crashes on these regions, so they are assembled from pairs of dwords,
    /// column by column.
    pub(crate) fn by_columns(&mut self, x: Val, shape: FixedRegion, count: usize) -> Val {
        let FixedRegion { offset, row_stride, width, column_stride } = shape;
        let rows = if row_stride == 0 { 1 } else { count.div_ceil(width) };
        let column = |place: usize| FixedRegion {
            offset: offset + place * column_stride,
            row_stride: 0,
            width: rows,
            column_stride: row_stride,
        };
        let crossing = row_stride > 0 && column_stride > 0 && width.is_power_of_two() && width >= 4;
        if crossing && self.long_registers {
            // With such gaps, the compiler for Ponte Vecchio writes a whole column to the same place, and the
            // compilers for newer GPUs read a column with the gaps of its destination. On other targets this
            // form is not used: their compilers crash on rows.
            let mut all = self.undefined(x.ty.times(count));
            for row in 0..rows {
                let columns = width.min(count - row * width);
                let from = FixedRegion {
                    offset: offset + row * row_stride,
                    row_stride: 0,
                    width: columns,
                    column_stride,
                };
                let part = self.region(x, from, columns, None);
                let to = FixedRegion { offset: row * width, row_stride: 0, width: columns, column_stride: 1 };
                all = self.insert(all, to, part, None);
            }
            return all;
        }
        let repeated = column_stride == 0 && rows > 1;
        if repeated && width == 4 {
            // The compiler for Ponte Vecchio crashes on gaps of four elements.
            let twice = FixedRegion { width: 2, ..shape };
            let part = self.region(x, twice, rows * 2, None);
            let twice = FixedRegion { offset: 0, row_stride: 1, width: 2, column_stride: 0 };
            return self.region(part, twice, count, None);
        }
        let mut all = self.undefined(Ty::I32.times(count * 2));
        let mut dwords = None;
        for place in 0..width {
            let part = match dwords {
                Some(dwords) if column_stride == 0 => dwords,
                _ if column_stride > 0 && (row_stride > 1 || !self.long_registers) => {
                    // The compilers for Xe-LP and Xe-HPG write the elements of a column of longs to wrong places. Those for
                    // registers of 64 bytes do so with dwords that are neighbours, and crash on longs with gaps of four.
                    let FixedRegion { offset, column_stride: stride, .. } = column(place);
                    let pairs = FixedRegion {
                        offset: offset * 2,
                        row_stride: stride * 2,
                        width: 2,
                        column_stride: 1,
                    };
                    let all = self.in_dwords(x);
                    self.region(all, pairs, rows * 2, None)
                }
                _ => {
                    let part = self.region(x, column(place), rows, None);
                    if rows == 1 {
                        return self.splat(part, count);
                    }
                    // The compiler also crashes on moves between elements with gaps.
                    let part = if repeated && width == 2 { self.apart(part) } else { part };
                    self.in_dwords(part)
                }
            };
            let pairs = FixedRegion { offset: place * 2, row_stride: width * 2, width: 2, column_stride: 1 };
            all = self.insert(all, pairs, part, None);
            dwords = Some(part);
        }
        self.format(all, x.ty.times(count))
    }
}
