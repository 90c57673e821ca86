//! Registers as elements of another type.
//!
//! Bytes and words at an arbitrary offset that are then used as wider elements are first moved to their own
//! register. Otherwise the compiler would round the offset down to a multiple of the wider element.

use crate::spirv::binary::Op;
use crate::spirv::fixed_region::FixedRegion;
use crate::spirv::module::{Builder, Rows, Val};
use crate::spirv::types::Ty;

impl Builder {
    /// The same bytes as elements of another type. The result may be shorter.
    pub(crate) fn format(&mut self, x: Val, ty: Ty) -> Val {
        let wanted = ty.bytes();
        if x.ty == ty {
            return x;
        }
        // The compiler reads a part of a repeated element beyond the element if it starts inside of it.
        let parts = self.splats.contains(&x.id) && ty.elem_bytes() < x.ty.elem_bytes();
        let x = if parts { self.apart(x) } else { x };
        if x.ty.bytes() == wanted {
            // If elements of the rows were replaced, a copy by `settled` would be another region of these rows.
            let between = self.has_rows_between(x, ty);
            let x = if between && self.patched.contains_key(&x.id) { self.apart(x) } else { x };
            let skewed = self.skewed.contains(&x.id) || self.has_rows_between(x, ty);
            // The optimiser makes a copy of longer elements a copy of the low bytes that they consist of, see
            // `apart_from_longer`.
            let copied = self.odd_shapes && self.low_bytes.contains(&x.id);
            if (skewed || copied) && ty.elem_bytes() > x.ty.elem_bytes() {
                let settled = self.settled(x);
                return self.op(Op::Bitcast, ty, &[settled]);
            }
            let result = self.op(Op::Bitcast, ty, &[x]);
            let parts = self.rows.contains_key(&x.id) || self.cut.contains(&x.id);
            if ty.elem_bytes() > x.ty.elem_bytes() && parts {
                // Rows may contain partial elements, and low bytes are not contiguous.
                let positions = (0..ty.count).collect();
                self.rows.insert(result.id, Rows { whole: None, width: 1, positions, split: true });
            }
            let parts = x.ty.elem_bytes() / ty.elem_bytes();
            if let Some(rows) = self.rows.get(&x.id).cloned()
                && x.ty.elem_bytes().is_multiple_of(ty.elem_bytes())
            {
                let whole = rows.whole.map(|whole| self.format(whole, ty.times(whole.ty.count * parts)));
                let gaps =
                    rows.positions.chunks(rows.width).any(|row| row.windows(2).any(|at| at[0] + 1 != at[1]));
                let split = rows.split || gaps && parts > 1;
                let width = if split { parts } else { rows.width * parts };
                let apart = |at: usize| (0..parts).map(move |part| at * parts + part);
                let positions = rows.positions.into_iter().flat_map(apart).collect();
                self.rows.insert(result.id, Rows { whole, width, positions, split });
            } else if self.cut.contains(&x.id) && parts > 1 {
                // The high halves lie between the low halves.
                let positions = (0..ty.count).collect();
                self.rows.insert(result.id, Rows { whole: None, width: parts, positions, split: true });
            }
            if skewed {
                self.skewed.insert(result.id);
            }
            if self.picked.contains(&x.id) {
                self.picked.insert(result.id);
            }
            let longer = self.parts.get(&x.id).copied().unwrap_or(0).max(x.ty.elem_bytes());
            if longer > ty.elem_bytes() {
                self.parts.insert(result.id, longer);
            }
            return result;
        }
        if wanted.is_multiple_of(x.ty.elem_bytes()) {
            let first = self.region_of_first(x, wanted / x.ty.elem_bytes());
            return self.format(first, ty);
        }
        let bytes = self.format(x, x.ty.int(8).times(x.ty.bytes()));
        let first = self.region_of_first(bytes, wanted);
        self.format(first, ty)
    }

    /// Copies a region to its own register: every second element, then the others. Without the copy, if the
    /// region is then used as wider elements, the compiler would read wider elements and round the start down
    /// to a multiple of their size.
    pub(crate) fn settled(&mut self, x: Val) -> Val {
        if x.ty.count < 4 {
            // The optimiser would recognise a region that is assembled from single elements.
            return self.apart(x);
        }
        let mut whole = self.constant(x.ty, 0);
        for start in 0..2 {
            let count = (x.ty.count - start).div_ceil(2);
            let part = self.shuffle(x, count, |k| 2 * k + start);
            let place = FixedRegion { offset: start, row_stride: x.ty.count, width: count, column_stride: 2 };
            whole = self.insert(whole, place, part, None);
        }
        whole
    }

    fn region_of_first(&mut self, x: Val, count: usize) -> Val {
        self.region(x, FixedRegion::row(0, count), count, None)
    }
}
