//! Regions of registers: reading them, and what is made of single elements.

use rustc_hash::FxHashSet;

use super::rows::row_length;
use crate::spirv::binary::{Op, Operand};
use crate::spirv::fixed_region::{Dynamic, FixedRegion};
use crate::spirv::intrinsics::Intrinsic;
use crate::spirv::module::{Builder, Rows, Val};
use crate::spirv::types::{Scalar, Ty};

impl Builder {
    /// A vector with all elements equal to a number, for operations that take the number itself.
    pub(crate) fn repeated_number(&mut self, x: Val, count: usize) -> Val {
        if count == 1 {
            return x;
        }
        let first = self.first_element(x, count);
        self.shuffle(first, count, |_| 0)
    }

    /// A vector that starts with the scalar.
    fn first_element(&mut self, x: Val, count: usize) -> Val {
        let ty = x.ty.times(count);
        let any = self.undefined(ty);
        let operands = vec![Operand::Id(x.id), Operand::Id(any.id), Operand::Number(0)];
        self.op_with(Op::CompositeInsert, ty, operands)
    }

    /// A vector with all elements equal to the scalar.
    pub(crate) fn splat(&mut self, x: Val, count: usize) -> Val {
        // The intrinsics take only vectors.
        if count == 1 {
            return x;
        }
        let first = self.first_element(x, count);
        if x.ty.scalar == Scalar::Bool {
            return self.shuffle(first, count, |_| 0);
        }
        // The optimiser moves a comparison before a shuffle. For shuffled truth values, the compiler then
        // uses the first element of a register instead of a later one.
        let all = self.repeat(first, count);
        if x.ty.count == 1 {
            self.scalars.insert(all.id, x);
        }
        all
    }

    /// A vector with all elements equal to the first one of a vector.
    pub(crate) fn repeat(&mut self, first: Val, count: usize) -> Val {
        let ty = first.ty.times(count);
        let (zero, width, start) = (self.i32(0), self.i32(count), self.constant(Ty::I16, 0));
        let within = self.undefined(Ty::I32);
        let all = self.value(Intrinsic::read_region(ty), ty, &[first, zero, width, zero, start, within]);
        if ty.bits() == 8 {
            self.repeated.insert(all.id);
        }
        self.splats.insert(all.id);
        all
    }

    /// Elements of a vector, selected by position.
    pub(crate) fn shuffle(&mut self, x: Val, count: usize, index: impl Fn(usize) -> usize) -> Val {
        // The instruction gives only vectors.
        if count == 1 {
            return self.element(x, index(0));
        }
        let mut operands = vec![Operand::Id(x.id), Operand::Id(x.id)];
        operands.extend((0..count).map(|k| Operand::Number(index(k) as u32)));
        let result = self.op_with(Op::VectorShuffle, x.ty.times(count), operands);
        let result = self.follow_extended(result, x);
        // A combination with zeros is not a copy, so the compiler does not drop it.
        let combined = x.ty.scalar != Scalar::Bool && self.is_filled_in_parts(x, count, index);
        if !combined {
            return result;
        }
        if self.low_bytes.contains(&x.id) {
            self.low_bytes.insert(result.id);
        }
        self.copied_part(result)
    }

    /// Elements of extended numbers count as extended numbers.
    fn follow_extended(&mut self, result: Val, of: Val) -> Val {
        if self.extended.contains(&of.id) {
            self.extended.insert(result.id);
        }
        result
    }

    /// One element.
    pub(crate) fn element(&mut self, x: Val, at: usize) -> Val {
        if x.ty.count == 1 {
            return x;
        }
        if self.loses_flags(x, std::iter::once(at)) {
            let at = self.hidden_index(at);
            return self.op(Op::VectorExtractDynamic, x.ty.one(), &[x, at]);
        }
        let operands = vec![Operand::Id(x.id), Operand::Number(at as u32)];
        let result = self.op_with(Op::CompositeExtract, x.ty.one(), operands);
        self.follow_extended(result, x)
    }

    /// Contiguous elements; they may be truth values.
    pub(crate) fn part(&mut self, x: Val, start: usize, count: usize) -> Val {
        if start == 0 && count == x.ty.count { x } else { self.shuffle(x, count, |k| start + k) }
    }

    /// The byte offset of a region, as `i16`.
    fn byte_offset(&mut self, size: usize, offset: usize, dynamic: Option<Dynamic>) -> Val {
        let Some(Dynamic { elements, .. }) = dynamic else {
            return self.constant(Ty::I16, (offset * size) as u64);
        };
        let mut at = elements;
        if offset > 0 {
            let offset = self.constant(at.ty, offset as u64);
            at = self.op(Op::IAdd, at.ty, &[at, offset]);
        }
        self.scaled(at, size)
    }

    /// Elements converted to bytes, as `i16`.
    fn scaled(&mut self, x: Val, size: usize) -> Val {
        let bytes = if size == 1 {
            x
        } else {
            let shift = self.constant(x.ty, u64::from(size.trailing_zeros()));
            self.op(Op::ShiftLeftLogical, x.ty, &[x, shift])
        };
        self.op(Op::UConvert, x.ty.int(16), &[bytes])
    }

    /// The arguments of an intrinsic that describe a region.
    pub(crate) fn region_arguments(
        &mut self,
        shape: FixedRegion,
        size: usize,
        dynamic: Option<Dynamic>,
    ) -> [Val; 5] {
        let (rows, width, columns) =
            (self.i32(shape.row_stride), self.i32(shape.width), self.i32(shape.column_stride));
        let offset = self.byte_offset(size, shape.offset, dynamic);
        // It has no meaning for constant offsets.
        let within = match dynamic.and_then(|d| d.within) {
            Some(within) => self.i32(within),
            None => self.undefined(Ty::I32),
        };
        [rows, width, columns, offset, within]
    }

    /// Whether elements must be accessed as if their positions were known only at run time.
    ///
    /// If the first elements of comparisons and selections are not used, the compiler omits them, in steps of
    /// 4. With registers of 64 bytes, flags can start only at multiples of 8: the compiler then puts the
    /// flags of the other elements first, but reads them from their original positions, or overwrites them. Long
    /// comparisons are split before that, so the elements of each part count. They may be parts of longer elements by now.
    pub(crate) fn loses_flags(&self, x: Val, positions: impl Iterator<Item = usize>) -> bool {
        const PART: usize = 8;
        const FEW: usize = 4;
        let Some(&bytes) = self.chosen.get(&x.id) else { return false };
        if !self.computes_few || x.ty.scalar == Scalar::Bool {
            return false;
        }
        let chosen = |elements: usize| elements * x.ty.elem_bytes() / bytes.max(1);
        let mut first = vec![PART; chosen(x.ty.count - 1) / PART + 1];
        let (mut count, mut least, mut most) = (0, usize::MAX, 0);
        for position in positions.map(chosen) {
            let first = &mut first[position / PART];
            *first = (*first).min(position % PART);
            (count, least, most) = (count + 1, least.min(position), most.max(position));
        }
        // The newest compiler crashes if it computes only a few elements, of several parts.
        let few = (2..=FEW).contains(&count) && most - least >= count && least / PART < most / PART;
        few || self.long_registers && first.iter().any(|first| (PART / 2..PART).contains(first))
    }

    /// An index that the compiler does not know.
    fn hidden_index(&mut self, at: usize) -> Val {
        let (zero, at) = (self.hidden_zeros(Ty::I32), self.i32(at));
        self.op(Op::IAdd, Ty::I32, &[zero, at])
    }

    /// A region of a region, taken from the whole register if the compiler would get it wrong. If rows start
    /// or end inside of the rows of the first region, the compiler continues them beyond those rows.
    fn region_of_rows(&mut self, x: Val, shape: FixedRegion, count: usize) -> Option<Val> {
        let Rows { whole, width, positions, split } = self.rows.get(&x.id)?;
        let (whole, width) = (*whole, *width);
        let last = (shape.width.min(count) - 1) * shape.column_stride;
        let inside = shape.offset % width + last < width;
        let aligned = inside && (count <= shape.width || shape.row_stride.is_multiple_of(width));
        let neighbours = shape.offset.is_multiple_of(width) && shape.is_contiguous(count);
        if !split && (aligned || neighbours) {
            return None;
        }
        let places: Vec<usize> = (0..count).map(|k| positions[shape.position(k)]).collect();
        // The compiler treats repeated elements as the first ones of a longer region whose rows are repeated
        // as well.
        let repeated = places.iter().collect::<FxHashSet<_>>().len() < places.len();
        if let Some((whole, shape)) = whole.zip(FixedRegion::of(&places, shape.width))
            && let Some(turned) = self.transposed(whole, shape, count)
        {
            return Some(turned);
        }
        Some(match whole.filter(|_| !repeated) {
            Some(whole) => {
                let result = self.shuffle(whole, count, |k| places[k]);
                let width = row_length(&places).unwrap_or(shape.width.min(count));
                self.rows
                    .insert(result.id, Rows { whole: Some(whole), width, positions: places, split: false });
                self.skewed.insert(result.id);
                result
            }
            None => {
                let own = self.apart_from_longer(x);
                self.region(own, shape, count, None)
            }
        })
    }

    /// A copy of a region of `count` elements.
    pub(crate) fn region(
        &mut self,
        x: Val,
        shape: FixedRegion,
        count: usize,
        dynamic: Option<Dynamic>,
    ) -> Val {
        // The rows that contain the region are unknown, unless it stays within one of them.
        let anywhere = |rows: &Rows| {
            let several = count > 1 && rows.positions.len() > rows.width;
            several && dynamic.is_some_and(|d| !d.within.is_some_and(|own| rows.width.is_multiple_of(own)))
        };
        // The compiler divides by the column stride.
        let repeats =
            |rows: &Rows| dynamic.is_some() && rows.width > 1 && rows.positions[0] == rows.positions[1];
        // The compiler joins rows that continue with the same gaps, and loses the gaps of low bits.
        let joined = |rows: &Rows| {
            let at = |n: usize| rows.positions[n];
            let low = self.low_bytes.contains(&x.id) || self.cut.contains(&x.id);
            let low = low && dynamic.is_some() && count > 1;
            let several = rows.width > 1 && rows.positions.len() > rows.width;
            low && several && at(1) > at(0) + 1 && at(rows.width) == at(0) + rows.width * (at(1) - at(0))
        };
        let misplaced =
            self.rows.get(&x.id).is_some_and(|rows| anywhere(rows) || repeats(rows) || joined(rows));
        // If elements of rows were replaced, the compiler takes neighbours instead of elements with gaps.
        let gapped = count > shape.width && shape.width > 1 && shape.column_stride > 1;
        let misplaced = misplaced || gapped && self.patched.contains_key(&x.id);
        let x = if misplaced { self.apart(x) } else { x };
        if x.ty.count == 1 {
            return self.splat(x, count);
        }
        if count == 1 {
            return match dynamic {
                None => self.element(x, shape.offset),
                Some(Dynamic { elements, .. }) => {
                    let offset = self.constant(elements.ty, shape.offset as u64);
                    let at = self.op(Op::IAdd, elements.ty, &[elements, offset]);
                    self.op(Op::VectorExtractDynamic, x.ty.one(), &[x, at])
                }
            };
        }
        if dynamic.is_none() {
            if shape.offset == 0 && shape.is_contiguous(count) && count == x.ty.count {
                return x;
            }
            if let Some(result) = self.region_of_rows(x, shape, count) {
                return result;
            }
            if self.loses_flags(x, (0..count).map(|k| shape.position(k))) {
                let elements = self.hidden_zeros(Ty::I32);
                return self.region(x, shape, count, Some(Dynamic { elements, within: None }));
            }
            // The intrinsic takes only whole rows.
            if !count.is_multiple_of(shape.width) {
                return self.shuffle(x, count, |k| shape.position(k));
            }
        }
        if let Some(dynamic) = dynamic
            && x.ty.bits() == 64
            && !shape.is_contiguous(count)
        {
            let span = shape.span(count);
            let copy = self.longs_at(x, span, dynamic.elements);
            return self.region(copy, FixedRegion { offset: 0, ..shape }, count, None);
        }
        let rows = 1..=(shape.width - 1) * shape.column_stride;
        let rows_cross = count > shape.width && rows.contains(&shape.row_stride);
        let repeats = shape.column_stride == 0 && shape.width > 1;
        if x.ty.bits() == 64 && (repeats || rows_cross) {
            // The compiler for Ponte Vecchio crashes on floats with gaps of four elements.
            let longs = self.format(x, x.ty.int(64));
            let result = self.by_columns(longs, shape, count);
            return self.format(result, x.ty.times(count));
        }
        if dynamic.is_none()
            && let Some(longs) = self.repeated_longs(x, shape, count)
        {
            return longs;
        }
        if dynamic.is_none()
            && let Some(turned) = self.transposed(x, shape, count)
        {
            return turned;
        }
        if dynamic.is_none()
            && let Some(picked) = self.picked_columns(x, shape, count)
        {
            return picked;
        }
        let repeated = shape.column_stride == 0 && shape.width > 1 && shape.row_stride > 0;
        if repeated && x.ty.bits() == 8 && self.repeats_words && dynamic.is_none() {
            return self.as_words(x, |builder, words| builder.region(words, shape, count, None));
        }
        let ty = x.ty.times(count);
        let [rows, width, columns, offset, within] = self.region_arguments(shape, x.ty.elem_bytes(), dynamic);
        let arguments = [x, rows, width, columns, offset, within];
        let result = self.value(Intrinsic::read_region(ty), ty, &arguments);
        let result = self.known_of_region(result, x, shape, dynamic.is_some());
        // Operations on floats are split where their results cross registers: within rows, of which the compiler then takes
        // what follows a row instead of the next one, if they may start anywhere.
        let split = self.computes_few && dynamic.is_some() && count > shape.width && shape.width > 1;
        if split && matches!(x.ty.scalar, Scalar::Float(_)) { self.apart(result) } else { result }
    }

    /// Notes what is known of a region of `x`. Returns the region, or an opaque copy of it. `moved`: by an offset that is
    /// added at run time.
    fn known_of_region(&mut self, result: Val, x: Val, shape: FixedRegion, moved: bool) -> Val {
        let count = result.ty.count;
        let result = self.follow_extended(result, x);
        self.follow_parts(result.id, x.id);
        if self.low_bytes.contains(&x.id) {
            self.low_bytes.insert(result.id);
        }
        // A combination with zeros is not a copy, so the compiler does not drop it.
        let filled = !moved && self.is_filled_in_parts(x, count, |k| shape.position(k));
        let result = if filled { self.copied_part(result) } else { result };
        if !shape.is_contiguous(count) {
            let positions = (0..count).map(|k| shape.position(k)).collect();
            let whole = (!moved).then_some(x);
            let width = shape.width.min(count);
            let rows = (0..count).step_by(width).map(|start| start..start + width).collect();
            self.made_of.insert(result.id, rows);
            self.rows.insert(result.id, Rows { whole, width, positions, split: false });
        } else if !moved {
            self.follow_made_of(result, x, shape.offset);
            if let Some(rows) = self.rows.get(&x.id).cloned()
                && rows.width < count
            {
                // Contiguous elements that are longer than a row keep the rows.
                let positions = rows.positions[shape.offset..shape.offset + count].to_vec();
                self.rows.insert(result.id, Rows { positions, ..rows });
            }
        }
        // At a multiple of 8 bytes, an element of any size is whole.
        let anywhere = moved || !(shape.offset * x.ty.elem_bytes()).is_multiple_of(8);
        // The compiler also reads the whole register as wider elements, as many as fit.
        let anywhere = anywhere || !x.ty.bytes().is_multiple_of(8);
        let rows = !shape.is_contiguous(count) && !(shape.row_stride * x.ty.elem_bytes()).is_multiple_of(8);
        if anywhere || rows || self.skewed.contains(&x.id) {
            self.skewed.insert(result.id);
        }
        result
    }

    /// Element `index[k]` for each `k`. Indices are limited to the last element, unless they are known to be
    /// `inside`.
    pub(crate) fn pick(&mut self, x: Val, index: Val, inside: bool) -> Val {
        let count = index.ty.count;
        if x.ty.count == 1 {
            return self.splat(x, count);
        }
        let index = if inside {
            index
        } else {
            let last = self.constant(index.ty, x.ty.count as u64 - 1);
            let beyond = self.op(Op::UGreaterThan, index.ty.bool(), &[index, last]);
            self.op(Op::Select, index.ty, &[beyond, last, index])
        };
        if count == 1 {
            return self.op(Op::VectorExtractDynamic, x.ty.one(), &[x, index]);
        }
        let bytes = self.scaled(index, x.ty.elem_bytes());
        let ty = x.ty.times(count);
        let (zero, one, within) = (self.i32(0), self.i32(1), self.undefined(Ty::I32));
        let picked = self.value(Intrinsic::read_region(ty), ty, &[x, zero, one, zero, bytes, within]);
        self.picked.insert(picked.id);
        picked
    }
}
