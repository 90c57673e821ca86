//! Replacing regions of registers.

use rustc_hash::FxHashSet;

use crate::spirv::binary::{Op, Operand, Word};
use crate::spirv::fixed_region::{Dynamic, FixedRegion};
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Left, Val};
use crate::spirv::types::{Scalar, Ty};

impl Builder {
    /// Replaces a region of a register. Shuffles would need three times as much code.
    pub(crate) fn insert(&mut self, x: Val, shape: FixedRegion, value: Val, dynamic: Option<Dynamic>) -> Val {
        if x.ty.count == 1 {
            return value;
        }
        let left = if dynamic.is_none() { self.left_of_chosen(x, shape, value.ty.count) } else { None };
        let Some(Left { chosen, places }) = left else { return self.replaced(x, shape, value, dynamic) };
        // The compiler computes no elements that are replaced.
        if self.loses_flags(chosen, (0..places.len()).filter(|n| places[*n])) {
            let elements = self.hidden_zeros(Ty::I32);
            return self.replaced(x, shape, value, Some(Dynamic { elements, within: None }));
        }
        let result = self.replaced(x, shape, value, dynamic);
        // A replacement of the whole register is its value, which may itself be chosen.
        if result.id != value.id {
            self.left.insert(result.id, Left { chosen, places });
        }
        result
    }

    /// What is left of selected elements where a region of them is replaced.
    fn left_of_chosen(&self, x: Val, shape: FixedRegion, count: usize) -> Option<Left> {
        let Left { chosen, mut places } = match self.left.get(&x.id) {
            Some(left) => left.clone(),
            None if self.chosen.contains_key(&x.id) => Left { chosen: x, places: vec![true; x.ty.count] },
            None => return None,
        };
        (0..count).for_each(|n| places[shape.position(n)] = false);
        Some(Left { chosen, places })
    }

    /// Replaces a region of a register of several elements.
    fn replaced(&mut self, x: Val, shape: FixedRegion, value: Val, dynamic: Option<Dynamic>) -> Val {
        if value.ty.count == 1 {
            return match dynamic {
                None => {
                    // The optimiser makes it a selection, see `contiguous`.
                    let gaps = self.long_registers && x.ty.bits() < 64 && self.has_gaps(x);
                    let x = if gaps { self.apart_from_longer(x) } else { x };
                    let at = Operand::Number(shape.offset as u32);
                    let operands = vec![Operand::Id(value.id), Operand::Id(x.id), at];
                    let result = self.op_with(Op::CompositeInsert, x.ty, operands);
                    self.follow_patched(result, x);
                    result
                }
                Some(Dynamic { elements, .. }) => {
                    let offset = self.constant(elements.ty, shape.offset as u64);
                    let at = self.op(Op::IAdd, elements.ty, &[elements, offset]);
                    self.op(Op::VectorInsertDynamic, x.ty, &[x, value, at])
                }
            };
        }
        if dynamic.is_none()
            && shape.offset == 0
            && shape.is_contiguous(value.ty.count)
            && value.ty.count == x.ty.count
        {
            return value;
        }
        // The compiler selects the inserted elements by a single flag, which it does not repeat for each of them.
        let value = match self.branched.contains(&value.id) {
            // If both ways stored such copies, the optimiser would drop another one with the same zeros.
            true if self.odd_shapes => self.hidden(value),
            true => self.apart(value),
            false => value,
        };
        if x.ty.bits() == 64
            && let Some(dynamic) = dynamic
        {
            return self.insert_longs(x, shape, value, dynamic.elements);
        }
        let gaps = if shape.width == 1 { shape.row_stride } else { shape.column_stride };
        if x.ty.bits() == 64 && gaps > 1 {
            return self.insert_longs_with_gaps(x, shape, value);
        }
        // If elements that are picked by indices are inserted as rows, the compiler uses only the first index
        // of each row, also if it computes them for short rows.
        let value = if self.picked.contains(&value.id) && !shape.is_contiguous(value.ty.count) {
            let own = self.apart(value);
            if shape.width > 1 && value.ty.bits() == 8 { self.hidden(own) } else { own }
        } else {
            value
        };
        let value = if self.is_one_in_rows(shape, value) { self.apart(value) } else { value };
        let value = if self.is_off_parts(x, shape, value, dynamic) { self.apart(value) } else { value };
        if dynamic.is_some() && x.ty.scalar == Scalar::Float(16) {
            // The compiler computes sums of f16 in place, in two halves. If the offset is known only at run
            // time, it writes the odd half one byte too early. So insert opaque words, which are only moved.
            let (words, values) = (self.format(x, x.ty.int(16)), self.format(value, value.ty.int(16)));
            let values = self.apart(values);
            let whole = self.insert(words, shape, values, dynamic);
            return self.format(whole, x.ty);
        }
        let [rows, width, columns, offset, within] = self.region_arguments(shape, x.ty.elem_bytes(), dynamic);
        let always = self.constant(Ty::BOOL, 1);
        let arguments = [x, value, rows, width, columns, offset, within, always];
        let result = self.value(Intrinsic::write_region(x.ty), x.ty, &arguments);
        let mut parts = self.made_of.get(&x.id).cloned().unwrap_or_default();
        if dynamic.is_none() {
            parts.extend(shape.neighbours(value.ty.count));
            parts.extend(shape.gapped(value.ty.count));
            parts.extend(self.inserted_parts(shape, value));
            // A row that is taken, changed and replaced again and again has the parts of the row before.
            let mut seen = FxHashSet::default();
            parts.retain(|part| seen.insert((part.start, part.end)));
        }
        self.made_of.insert(result.id, parts);
        self.follow_patched(result, x);
        if dynamic.is_none() { self.between_columns(x, result, shape, value) } else { result }
    }

    /// Elements of 64 bits at an offset that is known at run time, as dwords. The compilers abort on some of these elements.
    /// With gaps, they write the address instead of the element, or write to a wrong address. So elements with gaps are
    /// inserted into a copy of all from the first one to the last one.
    fn insert_longs(&mut self, x: Val, shape: FixedRegion, value: Val, elements: Val) -> Val {
        let count = value.ty.count;
        if !shape.is_contiguous(count) {
            let x = if self.chosen.contains_key(&x.id) {
                // The compiler for Ponte Vecchio crashes on parts of selections at such offsets.
                let dwords = self.in_dwords(x);
                let dwords = self.apart(dwords);
                self.format(dwords, x.ty)
            } else {
                x
            };
            let span = shape.span(count);
            let copy = self.longs_at(x, span, elements);
            let copy = self.insert(copy, FixedRegion { offset: 0, ..shape }, value, None);
            return self.insert_longs(x, span, copy, elements);
        }
        let dwords = self.in_dwords(x);
        let values = self.in_dwords(value);
        let values = self.apart(values);
        let one = self.constant(elements.ty, 1);
        let elements = self.op(Op::ShiftLeftLogical, elements.ty, &[elements, one]);
        // The elements may be in several rows.
        let dynamic = Dynamic { elements, within: None };
        let whole = self.insert(dwords, FixedRegion::row(shape.offset * 2, count * 2), values, Some(dynamic));
        let result = self.format(whole, x.ty);
        self.follow_patched(result, x);
        result
    }

    /// Elements of 64 bits with gaps, row by row as pairs of dwords. The compiler for Ponte Vecchio crashes on gaps of four
    /// elements, and those for Xe-LP and Xe-HPG write to wrong places. The one for Ponte Vecchio takes wrong bits of truth
    /// values and of saturated sums, so the dwords are an opaque copy.
    fn insert_longs_with_gaps(&mut self, x: Val, shape: FixedRegion, value: Val) -> Val {
        let count = value.ty.count;
        let mut dwords = self.in_dwords(x);
        let values = self.in_dwords(value);
        let values = self.apart(values);
        let shape = if shape.width == 1 {
            FixedRegion { row_stride: 0, width: count, column_stride: shape.row_stride, ..shape }
        } else {
            shape
        };
        // No instruction writes longer gaps than these. And of two insertions with the same start and strides the optimiser
        // drops the first one, even if it has more elements.
        let places = (shape.offset, shape.column_stride);
        let again = self.gapped_longs.get(&x.id).is_some_and(|before| *before == places);
        let step = if shape.column_stride > 2 || again { 1 } else { shape.width };
        for first in (0..count).step_by(step) {
            let length = step.min(count - first) * 2;
            let row = self.region(values, FixedRegion::row(first * 2, length), length, None);
            let offset = shape.position(first) * 2;
            let pairs =
                FixedRegion { offset, row_stride: shape.column_stride * 2, width: 2, column_stride: 1 };
            dwords = self.insert(dwords, pairs, row, None);
        }
        let result = self.format(dwords, x.ty);
        self.gapped_longs.insert(result.id, places);
        self.follow_patched(result, x);
        result
    }

    /// Whether the compiler would insert longer elements, of which these are parts, and round their places, or the end of
    /// the register, down to multiples of the longer elements.
    fn is_off_parts(&self, x: Val, shape: FixedRegion, value: Val, dynamic: Option<Dynamic>) -> bool {
        let Some(longer) = self.parts.get(&value.id) else { return false };
        let whole = |elements: usize| (elements * value.ty.elem_bytes()).is_multiple_of(*longer);
        // It inserts the bytes of several longer elements as bytes, but also rounds the end of the register.
        let by_place = value.ty.bits() > 8 || *longer == value.ty.bytes();
        !whole(x.ty.count)
            || by_place
                && (dynamic.is_some()
                    || !whole(shape.offset)
                    || value.ty.count > shape.width && !whole(shape.row_stride)
                    || !(shape.is_contiguous(value.ty.count)
                        || (shape.column_stride == 1 && whole(shape.width))))
    }

    /// Whether these are the bytes of one longer element, in several rows. The compiler moves the rows as words, and then
    /// takes the first word for the longer element where that is used again.
    fn is_one_in_rows(&self, shape: FixedRegion, value: Val) -> bool {
        let is_one = self.parts.get(&value.id) == Some(&value.ty.bytes());
        is_one && value.ty.bits() == 8 && !shape.is_contiguous(value.ty.count)
    }

    /// Records that these are also elements of longer ones.
    pub(crate) fn follow_parts(&mut self, result: Word, of: Word) {
        if let Some(longer) = self.parts.get(&of).copied() {
            self.parts.insert(result, longer);
        }
    }

    /// Records that these are low bits of longer numbers, as those in a variable are, which the optimiser sees through.
    pub(crate) fn follow_cut(&mut self, result: Word, of: Word) {
        if !self.odd_shapes {
            return;
        }
        for low in [&mut self.cut, &mut self.low_bytes] {
            if low.contains(&of) {
                low.insert(result);
            }
        }
    }

    /// Records that elements of rows were replaced.
    fn follow_patched(&mut self, result: Val, x: Val) {
        let rows = *self.patched.get(&x.id).unwrap_or(&x.id);
        if self.rows.contains_key(&rows) {
            self.patched.insert(result.id, rows);
        }
    }

    /// The register in which regions were replaced to make this one; the value itself if there is none.
    pub(crate) fn origin(&self, x: Val) -> Word {
        *self.origins.get(&x.id).unwrap_or(&x.id)
    }

    /// Replaces a region, in another form than a previous region with the same start and strides.
    pub(crate) fn insert_by_rows(&mut self, x: Val, shape: FixedRegion, value: Val) -> Val {
        let count = value.ty.count;
        let first = shape.width.min(count);
        let row = self.region(value, FixedRegion::row(0, first), first, None);
        let x = self.insert(x, FixedRegion { row_stride: 0, width: first, ..shape }, row, None);
        if count == first {
            return x;
        }
        let others = self.region(value, FixedRegion::row(first, count - first), count - first, None);
        self.insert(x, FixedRegion { offset: shape.offset + shape.row_stride, ..shape }, others, None)
    }
}
