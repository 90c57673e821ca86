//! Blocks inside of a surface in a buffer: 2-D blocks, or one message for each row.

use super::blocks::{Access, Kept, Place};
use super::shape::row_of;
use crate::elem::ElemType;
use crate::ir::{Bits, Op, Region, Type, Value};
use crate::limits::{
    BLOCK_2D_LOADED_ROWS, BLOCK_2D_STORED_ROWS, BLOCK_2D_WIDTH, BlockForm, DWORD, OWORD, OWORD_BLOCK,
};
use crate::ops::{AccessKind, LoadHints, MapKind, StoreHints};
use crate::spirv::passes::expand::parts;

impl Access<'_> {
    /// Reads a block that is inside of the surface: one message for each row, from the dword in which the row
    /// starts.
    pub(super) fn read_rows(&mut self, place: Place) -> Option<Value> {
        let gap = self.in_dword.unwrap_or(DWORD - 1);
        let carried = row_of(ElemType::U8, (self.width + gap).next_multiple_of(OWORD).min(OWORD_BLOCK));
        let row_ty = row_of(ElemType::U8, self.width);
        let mut all = None;
        for (n, start) in self.starts(place).into_iter().enumerate() {
            let start = self.unsigned(start, 1);
            let kind = AccessKind::OwordReadDwaligned;
            let block =
                self.insts.emit(Op::Access { kind, param: self.param, operands: vec![start] }, carried);
            let (offset, dynamic) = self.byte_of_dword(start);
            let region = Region { dynamic, ..Region::contiguous(offset, self.width) };
            let whole = self.in_dword == Some(0) && carried == row_ty;
            let row = if whole { block } else { self.insts.emit(Op::Region(block, region), row_ty) };
            all = self.placed(all, n, row);
        }
        all
    }

    /// The byte of a dword in which a row starts: a number, and a value if it is not known.
    fn byte_of_dword(&mut self, byte: Value) -> (usize, Option<Value>) {
        match self.in_dword {
            Some(known) => (known, None),
            None => {
                let u32 = Type::scalar(ElemType::U32);
                let low = self.insts.emit(Op::Constant(Bits::Splat(DWORD as u64 - 1)), u32);
                (0, Some(self.insts.emit(Op::map(MapKind::And, ElemType::U32, &[byte, low]), u32)))
            }
        }
    }

    /// Reads a block of elements of so many bytes by 2-D blocks of the buffer, which start at whole dwords.
    pub(super) fn read_2d(&mut self, place: Place, size: usize) -> (Option<Value>, Kept) {
        let gap = self.in_dword.unwrap_or(DWORD - 1);
        // Registers have rows of powers of two in any case.
        let carried = |columns: usize| (columns + gap).next_multiple_of(DWORD).next_power_of_two();
        let fits = carried(self.width) <= BLOCK_2D_WIDTH;
        let columns = if fits { self.width } else { BLOCK_2D_WIDTH / 2 };
        let dense = Kept::dense(self.bytes());
        let mut all = None;
        for (down, across, [rows, columns]) in self.tiles([BLOCK_2D_LOADED_ROWS, columns]) {
            let loaded = Type::new(ElemType::U8, rows, carried(columns));
            let operands = self.operands_2d(place, [across, down]);
            let x = self.unsigned(operands[3], 1);
            let (offset, dynamic) = self.byte_of_dword(x);
            let kind = AccessKind::Load2d(LoadHints::Default, BlockForm::Normal);
            let mut block = self.insts.emit(Op::Access { kind, param: self.param, operands }, loaded);
            let part = Type::new(ElemType::U8, rows, columns);
            // The compiler moves bytes that start anywhere in several steps, for each use if they stay where they are.
            let is_operand = offset == 0 || size > 1 && offset.is_multiple_of(size);
            if part == dense.ty && dynamic.is_none() && is_operand {
                return (Some(block), Kept { ty: loaded, first: offset });
            }
            if part != loaded {
                let from =
                    Region { offset, dynamic, row_stride: loaded.columns, width: columns, column_stride: 1 };
                block = self.insts.emit(Op::Region(block, from), part);
            }
            if part == dense.ty {
                return (Some(block), dense);
            }
            let before = all.unwrap_or_else(|| self.insts.emit(Op::Constant(Bits::Splat(0)), dense.ty));
            let offset = down * self.width + across;
            let to =
                Region { offset, dynamic: None, row_stride: self.width, width: columns, column_stride: 1 };
            all = Some(self.insts.emit(Op::Insert(before, to, block), dense.ty));
        }
        (all, dense)
    }

    /// The parts of the block with at most so many rows and columns: the first row and column of each, and its
    /// rows and columns.
    fn tiles(&self, [rows, columns]: [usize; 2]) -> Vec<(usize, usize, [usize; 2])> {
        let across = move |down: usize, height: usize| {
            let starts = (0..self.width).step_by(columns);
            starts.map(move |x| (down, x, [height, columns.min(self.width - x)]))
        };
        let down = (0..self.rows).step_by(rows);
        down.flat_map(|y| across(y, rows.min(self.rows - y))).collect()
    }

    /// The operands of a 2-D block this far from the place.
    fn operands_2d(&mut self, place: Place, distances: [usize; 2]) -> Vec<Value> {
        let mut moved = |from, distance| match distance {
            0 => from,
            _ => {
                let distance = self.insts.i32(distance as i64);
                self.one(MapKind::Add, from, distance)
            }
        };
        let place = [moved(place.x, distances[0]), moved(place.y, distances[1])];
        self.shape.moved(self.insts).into_iter().chain(place).collect()
    }

    /// Writes a block at a whole dword by 2-D blocks of the buffer, whose messages drop what is outside of the surface.
    pub(super) fn write_2d(&mut self, place: Place, data: Value) {
        for (down, across, [rows, columns]) in self.tiles([BLOCK_2D_STORED_ROWS, BLOCK_2D_WIDTH]) {
            let ty = Type::new(ElemType::U8, rows, columns);
            let mut operands = self.operands_2d(place, [across, down]);
            let part = Region::contiguous(down * self.width, ty.count());
            operands.push(if ty == self.bytes() {
                data
            } else {
                self.insts.emit(Op::Region(data, part), ty)
            });
            let kind = AccessKind::Store2d(StoreHints::Default);
            self.insts.push(Op::Access { kind, param: self.param, operands }, None, ty);
        }
    }

    /// Writes a block that is inside of the surface, at whole owords.
    pub(super) fn write_rows(&mut self, place: Place, data: Value) {
        for (n, start) in self.starts(place).into_iter().enumerate() {
            let from = Region::contiguous(n * self.width, self.width);
            let row_ty = row_of(ElemType::U8, self.width);
            let row = if self.rows == 1 { data } else { self.insts.emit(Op::Region(data, from), row_ty) };
            for (at, count) in parts(self.width, OWORD_BLOCK) {
                let distance = self.insts.i32(at as i64);
                let start = self.one(MapKind::Add, start, distance);
                let start = self.unsigned(start, 1);
                let (part, ty) = (Region::contiguous(at, count), row_of(ElemType::U8, count));
                let data = if count == self.width { row } else { self.insts.emit(Op::Region(row, part), ty) };
                let operands = vec![start, data];
                let write = Op::Access { kind: AccessKind::OwordWrite, param: self.param, operands };
                self.insts.push(write, None, ty);
            }
        }
    }

    /// The first byte of each row, without the edge rule.
    fn starts(&mut self, place: Place) -> Vec<Value> {
        let (mut starts, pitch) = (vec![self.start(place)], self.shape.pitch(self.insts));
        for _ in 1..self.rows {
            let before = starts[starts.len() - 1];
            starts.push(self.one(MapKind::Add, before, pitch));
        }
        starts
    }

    /// Inserts a row into a block immediately, so that rows need no registers of their own.
    fn placed(&mut self, block: Option<Value>, n: usize, row: Value) -> Option<Value> {
        if self.rows == 1 {
            return Some(row);
        }
        let ty = self.bytes();
        let block = block.unwrap_or_else(|| self.insts.emit(Op::Constant(Bits::Splat(0)), ty));
        let part = Region::contiguous(n * self.width, self.width);
        Some(self.insts.emit(Op::Insert(block, part, row), ty))
    }
}
