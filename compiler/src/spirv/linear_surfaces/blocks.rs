//! Media blocks of surfaces in buffers.

use super::shape::{I32, Shape, row_of};
use crate::elem::ElemType;
use crate::ir::{Bits, Block, Op, Region, Type, Value, Variable};
use crate::limits::{
    self, BLOCK_2D_LOADED_ROWS, BLOCK_2D_STORED_ROWS, BLOCK_2D_WIDTH, BlockForm, DWORD, OWORD, OWORD_BLOCK,
};
use crate::ops::{AccessKind, LoadHints, MapKind, StoreHints};
use crate::spirv::expand::Expansion;

/// Elements of the largest scattered message.
const LANES: usize = 32;
/// A block that starts this far outside does not reach the surface. A multiple of every texel size, and at
/// least the bytes of a row and the rows of a block.
const FAR: i64 = 128;

/// The position of a block: its column and row, limited to the neighbourhood of the surface.
#[derive(Clone, Copy)]
pub(super) struct Place {
    x: Value,
    y: Value,
    /// The byte of the buffer at this position.
    start: Value,
}

/// An access to a surface.
pub(super) struct Access<'a> {
    pub(super) insts: &'a mut Expansion,
    /// The buffer.
    pub(super) param: usize,
    pub(super) shape: Shape,
    pub(super) rows: usize,
    /// Bytes of a row.
    pub(super) width: usize,
    /// Whether the column is known to be a multiple of a dword.
    pub(super) aligned: bool,
    /// Whether the target moves 2-D blocks by one message.
    pub(super) by_2d_blocks: bool,
}

impl Access<'_> {
    /// The largest part of `left` bytes that one message can carry.
    fn part(left: usize, most: usize) -> usize {
        let all = left.min(most);
        if all.is_power_of_two() { all } else { all.next_power_of_two() / 2 }
    }

    fn bytes(&self) -> Type {
        Type::new(ElemType::U8, self.rows, self.width)
    }

    pub(super) fn place(&mut self, x: Value, y: Value) -> Place {
        let Shape { pitch, width, height, mask, .. } = self.shape;
        // Beyond the edges, only the position in the pattern matters for a column.
        let phase = self.one(MapKind::And, x, mask);
        let (last, far) = (self.one(MapKind::Add, phase, width), self.number(FAR));
        let before = self.one(MapKind::Sub, phase, far);
        let x = self.one(MapKind::Min, x, last);
        let x = self.one(MapKind::Max, x, before);
        let before = self.number(-FAR);
        let y = self.one(MapKind::Min, y, height);
        let y = self.one(MapKind::Max, y, before);
        let row = self.one(MapKind::Mul, y, pitch);
        Place { x, y, start: self.one(MapKind::Add, row, x) }
    }

    /// A mask of one element: whether the block is inside of the surface.
    fn inside(&mut self, Place { x, y, .. }: Place) -> Value {
        let (bytes, rows, zero) =
            (self.number(self.width as i64), self.number(self.rows as i64), self.number(0));
        let right = self.one(MapKind::Sub, self.shape.width, bytes);
        let right = self.one(MapKind::Sub, right, x);
        let below = self.one(MapKind::Sub, self.shape.height, rows);
        let below = self.one(MapKind::Sub, below, y);
        let least = self.one(MapKind::Min, x, right);
        let least = self.one(MapKind::Min, least, y);
        let least = self.one(MapKind::Min, least, below);
        self.compare(MapKind::Ge, least, zero, 1)
    }

    pub(super) fn read(mut self, place: Place, ty: Type, result: Value) {
        let (bytes, variable) = (self.bytes(), self.insts.variable());
        self.insts.push(Op::Declare(variable, None), None, bytes);
        let inside = self.inside(place);
        let inside = self.insts.emit(Op::Any(inside), Type::CONDITION);
        let blocks = self.nested(|access| {
            let block = if access.by_2d_blocks { access.read_2d(place) } else { access.read_rows(place) };
            access.store(variable, block);
        });
        let elements = self.nested(|access| {
            let block = access.elements(place);
            access.store(variable, block);
        });
        self.insts.push(Op::If(inside, blocks, elements), None, Type::CONDITION);
        if ty == bytes {
            self.insts.push(Op::Load(variable), Some(result), ty);
        } else {
            let block = self.insts.emit(Op::Load(variable), bytes);
            self.insts.push(Op::Format(block), Some(result), ty);
        }
    }

    /// Stores a block in the variable, if it has rows.
    fn store(&mut self, variable: Variable, block: Option<Value>) {
        if let Some(block) = block {
            self.insts.push(Op::Store(variable, block), None, self.bytes());
        }
    }

    /// Reads a block that is inside of the surface: one message for each row, from the dword in which the row
    /// starts.
    fn read_rows(&mut self, place: Place) -> Option<Value> {
        let gap = if self.aligned { 0 } else { DWORD - 1 };
        let carried = row_of(ElemType::U8, (self.width + gap).next_multiple_of(OWORD).min(OWORD_BLOCK));
        let row_ty = row_of(ElemType::U8, self.width);
        let mut all = None;
        for (n, start) in self.starts(place).into_iter().enumerate() {
            let start = self.unsigned(start, 1);
            let kind = AccessKind::OwordReadDwaligned;
            let block =
                self.insts.emit(Op::Access { kind, param: self.param, operands: vec![start] }, carried);
            let dynamic = self.in_dword(start);
            let region = Region { dynamic, ..Region::contiguous(0, self.width) };
            let whole = self.aligned && carried == row_ty;
            let row = if whole { block } else { self.insts.emit(Op::Region(block, region), row_ty) };
            all = self.placed(all, n, row);
        }
        all
    }

    /// The byte in its dword, unless it is known to be the first.
    fn in_dword(&mut self, byte: Value) -> Option<Value> {
        let u32 = Type::scalar(ElemType::U32);
        (!self.aligned).then(|| {
            let low = self.insts.emit(Op::Constant(Bits::Splat(DWORD as u64 - 1)), u32);
            self.insts.emit(Op::map(MapKind::And, ElemType::U32, &[byte, low]), u32)
        })
    }

    /// Reads a block that is inside of the surface by 2-D blocks of the buffer, which start at whole dwords.
    fn read_2d(&mut self, place: Place) -> Option<Value> {
        let gap = if self.aligned { 0 } else { DWORD - 1 };
        // Registers have rows of powers of two in any case.
        let carried = |columns: usize| (columns + gap).next_multiple_of(DWORD).next_power_of_two();
        let fits = carried(self.width) <= BLOCK_2D_WIDTH;
        let columns = if fits { self.width } else { BLOCK_2D_WIDTH / 2 };
        let ty = self.bytes();
        let mut all = None;
        for (down, across, [rows, columns]) in self.tiles([BLOCK_2D_LOADED_ROWS, columns]) {
            let loaded = Type::new(ElemType::U8, rows, carried(columns));
            let operands = self.operands_2d(place, [across, down]);
            let dynamic = match self.aligned {
                true => None,
                false => {
                    let x = self.unsigned(operands[3], 1);
                    self.in_dword(x)
                }
            };
            let kind = AccessKind::Load2d(LoadHints::Default, BlockForm::Normal);
            let mut block = self.insts.emit(Op::Access { kind, param: self.param, operands }, loaded);
            let part = Type::new(ElemType::U8, rows, columns);
            if part != loaded {
                let from = Region {
                    offset: 0,
                    dynamic,
                    row_stride: loaded.columns,
                    width: columns,
                    column_stride: 1,
                };
                block = self.insts.emit(Op::Region(block, from), part);
            }
            if part == ty {
                return Some(block);
            }
            let before = all.unwrap_or_else(|| self.insts.emit(Op::Constant(Bits::Splat(0)), ty));
            let offset = down * self.width + across;
            let to =
                Region { offset, dynamic: None, row_stride: self.width, width: columns, column_stride: 1 };
            all = Some(self.insts.emit(Op::Insert(before, to, block), ty));
        }
        all
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

    /// The operands of a 2-D block this far from the place. Its rows are the pitches of the surface, which are long
    /// enough for the messages even where the surface is narrower.
    fn operands_2d(&mut self, place: Place, distances: [usize; 2]) -> Vec<Value> {
        let Shape { pitch, height, .. } = self.shape;
        let mut moved = |from, distance| match distance {
            0 => from,
            _ => {
                let distance = self.number(distance as i64);
                self.one(MapKind::Add, from, distance)
            }
        };
        let (x, y) = (moved(place.x, distances[0]), moved(place.y, distances[1]));
        vec![pitch, height, pitch, x, y]
    }

    /// Reads a block byte by byte, by the edge rule.
    fn elements(&mut self, place: Place) -> Option<Value> {
        let columns = self.columns(place);
        let mut all = None;
        for row in 0..self.rows {
            let Shape { pitch, height, .. } = self.shape;
            let (distance, zero, one) = (self.number(row as i64), self.number(0), self.number(1));
            let y = self.one(MapKind::Add, place.y, distance);
            let last = self.one(MapKind::Sub, height, one);
            let y = self.one(MapKind::Min, y, last);
            let y = self.one(MapKind::Max, y, zero);
            let start = self.one(MapKind::Mul, y, pitch);
            let starts = self.splat(start, self.width);
            let places = self.map(MapKind::Add, starts, columns, self.width);
            let places = self.unsigned(places, self.width);
            let mut read = self.insts.emit(Op::Constant(Bits::Splat(0)), row_of(ElemType::U8, self.width));
            let mut at = 0;
            while at < self.width {
                let count = Self::part(self.width - at, LANES);
                let part = Region::contiguous(at, count);
                let some = self.insts.emit(Op::Region(places, part), row_of(ElemType::U32, count));
                let gather = Op::Access {
                    kind: AccessKind::Gather(LoadHints::Default),
                    param: self.param,
                    operands: vec![some],
                };
                let some = self.insts.emit(gather, row_of(ElemType::U8, count));
                read = self.insts.emit(Op::Insert(read, part, some), row_of(ElemType::U8, self.width));
                at += count;
            }
            all = self.placed(all, row, read);
        }
        all
    }

    /// The column of each byte of a row, by the edge rule.
    fn columns(&mut self, place: Place) -> Value {
        let (n, Shape { width, mask, left, right, .. }) = (self.width, self.shape);
        let columns = self.outside(place);
        let masks = self.splat(mask, n);
        let phase = self.map(MapKind::And, columns, masks, n);
        // The first byte of the last texel.
        let one = self.number(1);
        let last = self.one(MapKind::Sub, width, mask);
        let last = self.one(MapKind::Sub, last, one);
        let last = self.splat(last, n);
        let last = self.map(MapKind::Add, last, phase, n);
        let inside = self.map(MapKind::Min, columns, last, n);
        let inside = self.map(MapKind::Max, inside, phase, n);
        // For packed YUV, one luma sample replaces both samples of a pair.
        let moved = self.compare(MapKind::Ne, inside, columns, n);
        let (zero, two) = (self.number(0), self.number(2));
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
        let steps = Bits::Each((0..self.width as u64).collect());
        let steps = self.insts.emit(Op::Constant(steps), row_of(ElemType::I32, self.width));
        let first = self.splat(place.x, self.width);
        self.map(MapKind::Add, first, steps, self.width)
    }

    pub(super) fn write(mut self, place: Place, ty: Type, data: Value) {
        let bytes = self.bytes();
        let data = if ty == bytes { data } else { self.insts.emit(Op::Format(data), bytes) };
        let mut rows = vec![];
        for row in 0..self.rows {
            let part = Region::contiguous(row * self.width, self.width);
            let region = Op::Region(data, part);
            let whole = self.rows == 1;
            rows.push(if whole { data } else { self.insts.emit(region, row_of(ElemType::U8, self.width)) });
        }
        let inside = match self.by_2d_blocks {
            true if self.aligned => self.inside(place),
            true => self.inside_at_multiples(place, (place.x, DWORD)),
            false if self.width.is_multiple_of(OWORD) => {
                self.inside_at_multiples(place, (place.start, OWORD))
            }
            false => return self.scatter(place, &rows),
        };
        let whole = self.insts.emit(Op::Any(inside), Type::CONDITION);
        let blocks = self.nested(|access| match access.by_2d_blocks {
            true => access.write_2d(place, data),
            false => access.write_rows(place, &rows),
        });
        let elements = self.nested(|access| access.scatter(place, &rows));
        self.insts.push(Op::If(whole, blocks, elements), None, Type::CONDITION);
    }

    /// A mask of one element: whether the block is inside of the surface, and a number is a multiple of another.
    fn inside_at_multiples(&mut self, place: Place, (number, of): (Value, usize)) -> Value {
        let (low, zero) = (self.number(of as i64 - 1), self.number(0));
        let low = self.one(MapKind::And, number, low);
        let aligned = self.compare(MapKind::Eq, low, zero, 1);
        let inside = self.inside(place);
        let mask = Type::scalar(ElemType::U16);
        self.insts.emit(Op::map(MapKind::And, ElemType::U16, &[inside, aligned]), mask)
    }

    /// Writes a block that is inside of the surface, at a whole dword, by 2-D blocks of the buffer.
    fn write_2d(&mut self, place: Place, data: Value) {
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
    fn write_rows(&mut self, place: Place, rows: &[Value]) {
        for (start, row) in self.starts(place).into_iter().zip(rows) {
            let mut at = 0;
            while at < self.width {
                let count = Self::part(self.width - at, OWORD_BLOCK);
                let distance = self.number(at as i64);
                let start = self.one(MapKind::Add, start, distance);
                let start = self.unsigned(start, 1);
                self.write_part(AccessKind::OwordWrite, start, *row, (at, count));
                at += count;
            }
        }
    }

    /// Writes the bytes of a block that are inside of the surface, one by one.
    fn scatter(&mut self, place: Place, rows: &[Value]) {
        let (n, Shape { width, height, .. }) = (self.width, self.shape);
        let columns = self.outside(place);
        let beside = self.beyond(columns, width, n);
        let none = self.number(-1);
        let none = self.splat(none, n);
        for ((row, start), data) in self.starts(place).into_iter().enumerate().zip(rows) {
            let distance = self.number(row as i64);
            let y = self.one(MapKind::Add, place.y, distance);
            let below = self.beyond(y, height, 1);
            let mask = row_of(ElemType::U16, n);
            let below = self.insts.emit(Op::Splat(below), mask);
            let dropped = self.insts.emit(Op::map(MapKind::Or, ElemType::U16, &[beside, below]), mask);
            // The first byte is at column `x`.
            let first = self.one(MapKind::Sub, start, place.x);
            let first = self.splat(first, n);
            let places = self.map(MapKind::Add, first, columns, n);
            // An element number that is out of bounds in every buffer.
            let places = self.merge(dropped, none, places);
            let places = self.unsigned(places, n);
            let mut at = 0;
            while at < n {
                let count = Self::part(n - at, LANES);
                let part = Op::Region(places, Region::contiguous(at, count));
                let some = self.insts.emit(part, row_of(ElemType::U32, count));
                self.write_part(AccessKind::Scatter(StoreHints::Default), some, *data, (at, count));
                at += count;
            }
        }
    }

    /// Writes a part of a row.
    fn write_part(&mut self, kind: AccessKind, place: Value, row: Value, (at, count): (usize, usize)) {
        let ty = row_of(ElemType::U8, count);
        let part = Op::Region(row, Region::contiguous(at, count));
        let data = if count == self.width { row } else { self.insts.emit(part, ty) };
        self.insts.push(Op::Access { kind, param: self.param, operands: vec![place, data] }, None, ty);
    }

    /// The first byte of each row, without the edge rule.
    fn starts(&mut self, place: Place) -> Vec<Value> {
        let mut starts = vec![place.start];
        for _ in 1..self.rows {
            let before = starts[starts.len() - 1];
            starts.push(self.one(MapKind::Add, before, self.shape.pitch));
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

    /// A mask of the numbers that are below 0 or not below a limit.
    fn beyond(&mut self, x: Value, limit: Value, count: usize) -> Value {
        let limit = self.splat(limit, count);
        let [x, limit] = [x, limit].map(|x| self.unsigned(x, count));
        self.insts.emit(Op::map(MapKind::Ge, ElemType::U32, &[x, limit]), row_of(ElemType::U16, count))
    }

    fn nested(&mut self, emit: impl FnOnce(&mut Access<'_>)) -> Block {
        let Self { param, shape, rows, width, aligned, by_2d_blocks, .. } = *self;
        let nested = self.insts.nested(|insts| {
            emit(&mut Access { insts, param, shape, rows, width, aligned, by_2d_blocks });
        });
        nested.0
    }

    fn number(&mut self, x: i64) -> Value {
        self.insts.emit(Op::Constant(Bits::Splat(u64::from(x as i32 as u32))), I32)
    }

    fn splat(&mut self, x: Value, count: usize) -> Value {
        if count == 1 { x } else { self.insts.emit(Op::Splat(x), row_of(ElemType::I32, count)) }
    }

    fn one(&mut self, kind: MapKind, a: Value, b: Value) -> Value {
        self.map(kind, a, b, 1)
    }

    fn map(&mut self, kind: MapKind, a: Value, b: Value, count: usize) -> Value {
        self.insts.emit(Op::map(kind, ElemType::I32, &[a, b]), row_of(ElemType::I32, count))
    }

    fn compare(&mut self, kind: MapKind, a: Value, b: Value, count: usize) -> Value {
        self.insts.emit(Op::map(kind, ElemType::I32, &[a, b]), row_of(ElemType::U16, count))
    }

    fn merge(&mut self, mask: Value, a: Value, b: Value) -> Value {
        self.insts
            .emit(Op::map(MapKind::Merge, ElemType::I32, &[mask, a, b]), row_of(ElemType::I32, self.width))
    }

    fn unsigned(&mut self, x: Value, count: usize) -> Value {
        self.insts.emit(Op::convert(x, ElemType::U32), row_of(ElemType::U32, count))
    }
}

const _: () = assert!(FAR as usize >= limits::MEDIA_WIDTH && FAR as usize >= limits::MEDIA_BYTES / DWORD);
