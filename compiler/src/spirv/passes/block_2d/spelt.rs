//! 2-D blocks that no message of the target moves: dwords row by row, or two smaller blocks.

use crate::elem::ElemType;
use crate::ir::{Bits, Function, Inst, Op, Region, Type, Value};
use crate::limits::{BlockForm, DWORD, SCATTERED_LANES};
use crate::ops::{AccessKind, Effect, LoadHints, MapKind, StoreHints};
use crate::spirv::passes::expand::{Expansion, expanded, parts};
use crate::spirv::target::Target;

use super::layout::Block2d;

const fn row(elem: ElemType, count: usize) -> Type {
    Type::new(elem, 1, count)
}

/// The kernel without the 2-D blocks that no message of the target moves; `None` if there are none.
pub(crate) fn expand(function: &Function, target: Target) -> Option<Function> {
    let has = target.has_2d_blocks();
    let missing = |inst: &Inst| {
        let block = Block2d::of(inst)?;
        let fits = has && (block.kind.spec().effect != Effect::Read || block.layout.is_single());
        (!fits).then_some(block)
    };
    function.body.instructions().find_map(missing)?;
    let body = expanded(function, |inst, insts| {
        let Some(Block2d { kind, layout, param, rows: [width, height, pitch], place: [x, y], data }) =
            missing(inst)
        else {
            return false;
        };
        let form = layout.form;
        let Some(elem) = inst.ty.elem() else { return false };
        let [rows, columns] = form.in_memory(inst.ty.rows, inst.ty.columns, elem.bytes());
        let mut block =
            Spelt { insts, param, form, elem, ty: inst.ty, rows, dwords: columns * elem.bytes() / DWORD };
        match (kind.spec().effect, data, inst.result) {
            (Effect::Prefetch, ..) => {}
            (Effect::Read, None, Some(result)) if has => {
                block.halves(kind, [width, height, pitch, x, y], result);
            }
            (Effect::Read, None, Some(result)) => {
                let places = block.places([width, height, pitch], [x, y]);
                block.read(&places, result);
            }
            (Effect::Write, Some(data), None) => {
                let places = block.places([width, height, pitch], [x, y]);
                block.write(&places, data);
            }
            _ => return false,
        }
        true
    })?;
    Some(Function { body, ..function.clone() })
}

/// An access that is expanded.
struct Spelt<'a> {
    insts: &'a mut Expansion,
    /// The buffer.
    param: usize,
    form: BlockForm,
    elem: ElemType,
    /// The type of the access.
    ty: Type,
    /// Rows in memory.
    rows: usize,
    /// Dwords of a row in memory.
    dwords: usize,
}

impl Spelt<'_> {
    /// Loads a block that is too large for one message in two parts: the upper and the lower rows in memory.
    fn halves(&mut self, kind: AccessKind, [width, height, pitch, x, y]: [Value; 5], result: Value) {
        let (blocks, columns) = (self.form.blocks(), self.ty.columns);
        let whole = self.ty.rows / blocks;
        // A row in memory is a column of a transposed block, else a row of each block.
        let own = if self.form.is_transposed() { columns } else { whole };
        let (first, per) = (own / 2, self.rows / own);
        // Each part, and its destination.
        let mut moves = vec![];
        for (start, count) in [(0, first), (first, own - first)] {
            let below = self.insts.i32((start * per) as i64);
            let y = self.insts.map_i32(MapKind::Add, y, below);
            let operands = vec![width, height, pitch, x, y];
            let ty = match self.form.is_transposed() {
                true => Type::new(self.elem, whole, count),
                false => Type::new(self.elem, count * blocks, columns),
            };
            let loaded = self.insts.emit(Op::Access { kind, param: self.param, operands }, ty);
            if self.form.is_transposed() {
                let to = Region {
                    offset: start,
                    dynamic: None,
                    row_stride: columns,
                    width: count,
                    column_stride: 1,
                };
                moves.push((loaded, to));
                continue;
            }
            for block in 0..blocks {
                let from = Region::contiguous(block * count * columns, count * columns);
                let some = self.insts.emit(Op::Region(loaded, from), row(self.elem, count * columns));
                let to = Region::contiguous((block * whole + start) * columns, count * columns);
                moves.push((some, to));
            }
        }
        let mut all = self.insts.constant(0, self.ty);
        let last = moves.len() - 1;
        for (n, (part, to)) in moves.into_iter().enumerate() {
            all = self.inserted(Op::Insert(all, to, part), (n == last).then_some(result));
        }
    }

    /// Inserts a part into the block. `result` is the number of the result, if it must have a given one.
    fn inserted(&mut self, insert: Op, result: Option<Value>) -> Value {
        match result {
            None => self.insts.emit(insert, self.ty),
            Some(result) => {
                self.insts.push(insert, Some(result), self.ty);
                result
            }
        }
    }

    /// The indices of the dwords of each row, as `u32`. Dwords outside of the picture get an index that is
    /// out of bounds in every buffer.
    fn places(&mut self, [width, height, pitch]: [Value; 3], [x, y]: [Value; 2]) -> Vec<Value> {
        let n = self.dwords;
        let two = self.insts.i32(2);
        let (width, pitch) =
            (self.insts.map_i32(MapKind::Shr, width, two), self.insts.map_i32(MapKind::Shr, pitch, two));
        // Columns are limited so that no product wraps from outside to inside.
        let first = match self.elem.bytes() {
            bytes @ (1 | 2) => {
                let places = self.insts.i32((DWORD / bytes).trailing_zeros().into());
                self.insts.map_i32(MapKind::Shr, x, places)
            }
            DWORD => x,
            _ => {
                let (far, before, one) =
                    (self.insts.i32(1 << 29), self.insts.i32(-1 << 29), self.insts.i32(1));
                let x = self.insts.map_i32(MapKind::Min, x, far);
                let x = self.insts.map_i32(MapKind::Max, x, before);
                self.insts.map_i32(MapKind::Shl, x, one)
            }
        };
        let steps = self.insts.emit(Op::Constant(Bits::Each((0..n as u64).collect())), row(ElemType::I32, n));
        let firsts = self.splat(first, ElemType::I32);
        let columns = self.map(MapKind::Add, ElemType::I32, firsts, steps, ElemType::I32);
        let none = self.insts.i32(-1);
        let none = self.splat(none, ElemType::I32);
        let inside = self.below(columns, width);
        let columns = self.merge(inside, columns, none);
        (0..self.rows)
            .map(|r| {
                let distance = self.insts.i32(r as i64);
                let y = self.insts.map_i32(MapKind::Add, y, distance);
                // As unsigned numbers, negative rows are large.
                let [number, limit] = [y, height]
                    .map(|x| self.insts.emit(Op::convert(x, ElemType::U32), Type::scalar(ElemType::U32)));
                let truth = Type::scalar(ElemType::U16);
                let within = self.insts.map(MapKind::Lt, ElemType::U32, &[number, limit], truth);
                let start = self.insts.map_i32(MapKind::Mul, y, pitch);
                let starts = self.splat(start, ElemType::I32);
                let places = self.map(MapKind::Add, ElemType::I32, starts, columns, ElemType::I32);
                let within = self.splat(within, ElemType::U16);
                let within = self.map(MapKind::And, ElemType::U16, within, inside, ElemType::U16);
                let places = self.merge(within, places, none);
                self.unsigned(places)
            })
            .collect()
    }

    fn read(&mut self, places: &[Value], result: Value) {
        let (n, dwords) = (self.dwords, Type::new(ElemType::U32, self.rows, self.dwords));
        let mut all = self.insts.constant(0, dwords);
        for (r, places) in places.iter().enumerate() {
            for (at, count) in parts(n, SCATTERED_LANES) {
                let some = self.part(*places, (at, count), n);
                let gather = Op::Access {
                    kind: AccessKind::Gather(LoadHints::Default),
                    param: self.param,
                    operands: vec![some],
                };
                let read = self.insts.emit(gather, row(ElemType::U32, count));
                let to = Region::contiguous(r * n + at, count);
                all = self.insts.emit(Op::Insert(all, to, read), dwords);
            }
        }
        let columns = n * DWORD / self.elem.bytes();
        if self.form == BlockForm::Normal {
            self.insts.push(Op::Format(all), Some(result), self.ty);
        } else {
            let all = self.insts.emit(Op::Format(all), Type::new(self.elem, self.rows, columns));
            self.arrange(all, columns, result);
        }
    }

    /// Arranges rows and columns from memory in the form of the block.
    fn arrange(&mut self, memory: Value, columns: usize, result: Value) {
        let (blocks, size) = (self.form.blocks(), self.elem.bytes());
        let Type { rows: own_rows, columns: own, .. } = self.ty;
        // A region of memory, and its destination.
        let mut moves = vec![];
        if self.form.is_transposed() {
            for r in 0..own_rows {
                let from =
                    Region { offset: r, dynamic: None, row_stride: columns, width: 1, column_stride: 1 };
                moves.push((from, Region::contiguous(r * own, own), own));
            }
        } else {
            let per_dword = if self.form.is_packed() { DWORD / size } else { 1 };
            let (height, width) = (own_rows / blocks, columns / blocks);
            for (block, place) in
                (0..blocks).flat_map(|block| (0..per_dword).map(move |place| (block, place)))
            {
                let from = Region {
                    offset: place * columns + block * width,
                    dynamic: None,
                    row_stride: per_dword * columns,
                    width,
                    column_stride: 1,
                };
                let to = Region {
                    offset: block * height * own + place,
                    dynamic: None,
                    row_stride: own,
                    width,
                    column_stride: per_dword,
                };
                moves.push((from, to, height * width));
            }
        }
        let mut all = self.insts.constant(0, self.ty);
        let last = moves.len() - 1;
        for (n, (from, to, count)) in moves.into_iter().enumerate() {
            let part = self.insts.emit(Op::Region(memory, from), row(self.elem, count));
            all = self.inserted(Op::Insert(all, to, part), (n == last).then_some(result));
        }
    }

    fn write(&mut self, places: &[Value], data: Value) {
        let n = self.dwords;
        let data = self.insts.emit(Op::Format(data), Type::new(ElemType::U32, self.rows, n));
        for (r, places) in places.iter().enumerate() {
            for (at, count) in parts(n, SCATTERED_LANES) {
                let some = self.part(*places, (at, count), n);
                let ty = row(ElemType::U32, count);
                let own = self.insts.emit(Op::Region(data, Region::contiguous(r * n + at, count)), ty);
                let (kind, operands) = (AccessKind::Scatter(StoreHints::Default), vec![some, own]);
                self.insts.push(Op::Access { kind, param: self.param, operands }, None, ty);
            }
        }
    }

    /// A part of the indices of a row.
    fn part(&mut self, places: Value, (at, count): (usize, usize), all: usize) -> Value {
        if count == all {
            return places;
        }
        let part = Op::Region(places, Region::contiguous(at, count));
        self.insts.emit(part, row(ElemType::U32, count))
    }

    fn splat(&mut self, x: Value, elem: ElemType) -> Value {
        self.insts.splat(x, row(elem, self.dwords))
    }

    fn map(&mut self, kind: MapKind, common: ElemType, a: Value, b: Value, elem: ElemType) -> Value {
        self.insts.map(kind, common, &[a, b], row(elem, self.dwords))
    }

    fn merge(&mut self, mask: Value, a: Value, b: Value) -> Value {
        self.insts.map(MapKind::Merge, ElemType::I32, &[mask, a, b], row(ElemType::I32, self.dwords))
    }

    /// A mask of the numbers that are at least 0 and below a limit.
    fn below(&mut self, numbers: Value, limit: Value) -> Value {
        let limits = self.splat(limit, ElemType::I32);
        let [numbers, limits] = [numbers, limits].map(|x| self.unsigned(x));
        self.map(MapKind::Lt, ElemType::U32, numbers, limits, ElemType::U16)
    }

    fn unsigned(&mut self, x: Value) -> Value {
        self.insts.emit(Op::convert(x, ElemType::U32), row(ElemType::U32, self.dwords))
    }
}
