//! What the compiler assumes about the rows of values that are regions, or that are made from regions.

use crate::spirv::module::{Builder, Rows, Val};
use crate::spirv::types::Ty;

/// The length of the rows, if these places are a region of several rows, which the compiler then makes of a shuffle.
pub(crate) fn row_length(places: &[usize]) -> Option<usize> {
    let even = |steps: &[usize]| steps.windows(3).all(|at| at[0] + at[2] == at[1] * 2);
    let is_region = |length: &usize| {
        let starts: Vec<usize> = places.iter().copied().step_by(*length).collect();
        let rows = places.chunks(*length);
        let alike = |row: &[usize]| row[1].wrapping_sub(row[0]) == places[1].wrapping_sub(places[0]);
        places.len().is_multiple_of(*length)
            && even(&starts)
            && rows.into_iter().all(|row| even(row) && alike(row))
    };
    (2..places.len()).rev().find(is_region)
}

impl Builder {
    /// Records that the compiler treats `result`, which was made from `x` element by element, as the same
    /// region.
    pub(crate) fn same_rows(&mut self, x: Val, result: Val) {
        if result.id != x.id
            && let Some(rows) = self.rows.get(&x.id).cloned()
        {
            self.rows.insert(result.id, Rows { whole: None, ..rows });
        }
    }

    /// 64-bit integers that the compiler does not treat as rows: they are rebuilt from the pairs of dwords
    /// that it computes with.
    pub(crate) fn longs_together(&mut self, x: Val) -> Val {
        let Some(Rows { whole, positions, .. }) = self.rows.get(&x.id).cloned() else { return x };
        let dwords = match whole {
            Some(whole) => {
                let dwords = self.in_dwords(whole);
                self.shuffle(dwords, x.ty.count * 2, |k| positions[k / 2] * 2 + k % 2)
            }
            None => self.in_dwords(x),
        };
        // `apart` would not help: the optimiser would combine the bits of whole numbers.
        let dwords = self.hidden(dwords);
        self.format(dwords, x.ty)
    }

    /// 64-bit elements that are selected by position, as pairs of dwords: the compiler crashes on such elements if the target
    /// does not compute with them.
    pub(crate) fn shuffled_longs(&mut self, x: Val, count: usize, place: impl Fn(usize) -> usize) -> Val {
        let dwords = self.in_dwords(x);
        let pairs = self.shuffle(dwords, count * 2, |k| place(k / 2) * 2 + k % 2);
        self.format(pairs, x.ty.times(count))
    }

    /// Whether the second row of a region starts in the first one.
    pub(crate) fn has_common_elements(&self, x: Val) -> bool {
        self.rows.get(&x.id).is_some_and(|rows| {
            rows.positions.get(rows.width).is_some_and(|second| *second <= rows.positions[rows.width - 1])
        })
    }

    /// Whether rows of a region, of which elements may have been replaced, start in the middle of the wider elements
    /// that are made from it.
    pub(crate) fn has_rows_between(&self, x: Val, ty: Ty) -> bool {
        // Truth values have no bytes.
        let parts = ty.elem_bytes().checked_div(x.ty.elem_bytes()).unwrap_or(0);
        let rows = self.patched.get(&x.id).unwrap_or(&x.id);
        self.rows.get(rows).is_some_and(|rows| {
            parts > 1 && rows.width.min(rows.positions.len()) % parts > 0 && rows.width < rows.positions.len()
        })
    }
}
