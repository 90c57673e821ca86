//! Blocks across the edges of a surface in a buffer, byte by byte.

use super::blocks::{Access, Kept, Place};
use super::shape::row_of;
use crate::elem::ElemType;
use crate::ir::{Bits, Op, Region, Value, Variable};
use crate::limits::{self, DWORD, SCATTERED_LANES};
use crate::ops::{AccessKind, LoadHints, MapKind, StoreHints};
use crate::spirv::passes::expand::parts;

/// A block that starts this far outside does not reach the surface. A multiple of every texel size, and at
/// least the bytes of a row and the rows of a block.
const FAR: i64 = 128;

const _: () = assert!(FAR as usize >= limits::MEDIA_WIDTH && FAR as usize >= limits::MEDIA_BYTES / DWORD);

impl Access<'_> {
    /// The place, limited to the neighbourhood of the surface.
    fn limited(&mut self, Place { x, y }: Place) -> Place {
        let shape = self.shape;
        let [mask, width, height] =
            [shape.mask(self.insts), shape.width(self.insts), shape.height(self.insts)];
        // Beyond the edges, only the position in the pattern matters for a column.
        let phase = self.one(MapKind::And, x, mask);
        let (last, before) = (self.one(MapKind::Add, phase, width), self.insts.i32(-FAR));
        let first = self.one(MapKind::Add, phase, before);
        let x = self.one(MapKind::Min, x, last);
        let x = self.one(MapKind::Max, x, first);
        let y = self.one(MapKind::Min, y, height);
        let y = self.one(MapKind::Max, y, before);
        Place { x, y }
    }

    /// Reads a block by the edge rule, and stores its rows in the variable.
    pub(super) fn read_elements(&mut self, place: Place, (variable, kept): (Variable, Kept)) {
        let place = self.limited(place);
        let (columns, ty) = (self.columns(place), kept.ty);
        let (zero, last, pitch) =
            (self.insts.i32(0), self.shape.last(self.insts), self.shape.pitch(self.insts));
        self.for_rows(|access, number| {
            let y = access.one(MapKind::Add, place.y, number);
            let y = access.one(MapKind::Min, y, last);
            let y = access.one(MapKind::Max, y, zero);
            let start = access.one(MapKind::Mul, y, pitch);
            let starts = access.splat(start, access.width);
            let places = access.map(MapKind::Add, starts, columns, access.width);
            let places = access.unsigned(places, access.width);
            for (at, count) in parts(access.width, SCATTERED_LANES) {
                let part = Region::contiguous(at, count);
                let some = access.insts.emit(Op::Region(places, part), row_of(ElemType::U32, count));
                let gather = Op::Access {
                    kind: AccessKind::Gather(LoadHints::Default),
                    param: access.param,
                    operands: vec![some],
                };
                let bytes = row_of(ElemType::U8, count);
                let read = access.insts.emit(gather, bytes);
                let (to, [part, block]) = access.part_of_row(number, kept, (at, count));
                let read = access.format(read, bytes, part);
                let before = access.insts.emit(Op::Load(variable), ty);
                let before = access.format(before, ty, block);
                let after = access.insts.emit(Op::Insert(before, to, read), block);
                let after = access.format(after, block, ty);
                access.insts.push(Op::Store(variable, after), None, ty);
            }
        });
    }

    /// The column of each byte of a row, by the edge rule.
    fn columns(&mut self, place: Place) -> Value {
        let (n, shape) = (self.width, self.shape);
        let [mask, width] = [shape.mask(self.insts), shape.width(self.insts)];
        let [left, right] = shape.replaced(self.insts);
        let columns = self.outside(place);
        let masks = self.splat(mask, n);
        let phase = self.map(MapKind::And, columns, masks, n);
        // The first byte of the last texel.
        let one = self.insts.i32(1);
        let last = self.one(MapKind::Sub, width, mask);
        let last = self.one(MapKind::Sub, last, one);
        let last = self.splat(last, n);
        let last = self.map(MapKind::Add, last, phase, n);
        let inside = self.map(MapKind::Min, columns, last, n);
        let inside = self.map(MapKind::Max, inside, phase, n);
        // For packed YUV, one luma sample replaces both samples of a pair.
        let moved = self.compare(MapKind::Ne, inside, columns, n);
        let (zero, two) = (self.insts.i32(0), self.insts.i32(2));
        let (zeros, twos) = (self.splat(zero, n), self.splat(two, n));
        let before = self.compare(MapKind::Lt, columns, zeros, n);
        let (left, right) = (self.splat(left, n), self.splat(right, n));
        let replaced = self.merge(before, left, right);
        let replaced = self.compare(MapKind::Eq, phase, replaced, n);
        let masks = row_of(ElemType::U16, n);
        let replaced = self.insts.emit(Op::map(MapKind::And, ElemType::U16, &[moved, replaced]), masks);
        let other = self.map(MapKind::Xor, inside, twos, n);
        self.merge(replaced, other, inside)
    }

    /// The column of each byte of a row; it may be outside of the surface.
    fn outside(&mut self, place: Place) -> Value {
        // The compiler would compute constants of several accesses before all of them, also for threads inside.
        let own = self.nth as u64;
        let steps = Bits::Each((own..own + self.width as u64).collect());
        let steps = self.insts.emit(Op::Constant(steps), row_of(ElemType::I32, self.width));
        let back = self.insts.i32(-(own as i64));
        let first = self.one(MapKind::Add, place.x, back);
        let first = self.splat(first, self.width);
        self.map(MapKind::Add, first, steps, self.width)
    }

    /// Writes the bytes of a block that are inside of the surface.
    pub(super) fn write_elements(&mut self, place: Place, data: Value) {
        let place = self.limited(place);
        let (n, ty, shape) = (self.width, self.bytes(), self.shape);
        let (width, height) = (shape.width(self.insts), shape.height(self.insts));
        let pitch = shape.pitch(self.insts);
        let columns = self.outside(place);
        let beside = self.beyond(columns, width, n);
        let none = self.insts.i32(-1);
        let none = self.splat(none, n);
        self.for_rows(|access, number| {
            let y = access.one(MapKind::Add, place.y, number);
            let below = access.beyond(y, height, 1);
            let mask = row_of(ElemType::U16, n);
            let below = access.insts.emit(Op::Splat(below), mask);
            let dropped = access.insts.emit(Op::map(MapKind::Or, ElemType::U16, &[beside, below]), mask);
            let start = access.one(MapKind::Mul, y, pitch);
            let starts = access.splat(start, n);
            let places = access.map(MapKind::Add, starts, columns, n);
            // An element number that is out of bounds in every buffer.
            let places = access.merge(dropped, none, places);
            let places = access.unsigned(places, n);
            for (at, count) in parts(access.width, SCATTERED_LANES) {
                let part = Op::Region(places, Region::contiguous(at, count));
                let some = access.insts.emit(part, row_of(ElemType::U32, count));
                let (from, [part, block]) = access.part_of_row(number, Kept::dense(ty), (at, count));
                let block = access.format(data, ty, block);
                let written = access.insts.emit(Op::Region(block, from), part);
                let bytes = row_of(ElemType::U8, count);
                let written = access.format(written, part, bytes);
                let scatter = Op::Access {
                    kind: AccessKind::Scatter(StoreHints::Default),
                    param: access.param,
                    operands: vec![some, written],
                };
                access.insts.push(scatter, None, bytes);
            }
        });
    }

    /// A mask of the numbers that are below 0 or not below a limit.
    fn beyond(&mut self, x: Value, limit: Value, count: usize) -> Value {
        let limit = self.splat(limit, count);
        let [x, limit] = [x, limit].map(|x| self.unsigned(x, count));
        self.insts.emit(Op::map(MapKind::Ge, ElemType::U32, &[x, limit]), row_of(ElemType::U16, count))
    }
}
