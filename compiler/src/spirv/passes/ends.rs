//! Slices of buffers that end before their buffer does.
//!
//! The hardware knows where the memory of a buffer ends, but not where a slice of it ends. So each buffer has one more
//! parameter, after all others and in their order: the number of its bytes. Scattered elements that are not completely
//! before it get an element number outside of every buffer. A block that is not inside as a whole is accessed element by
//! element. 2-D blocks stay as they are, because the launch checks that their rows are inside. A prefetch has no visible
//! effect.
//!
//! A kernel may access elements that are larger than those of the buffer (`format`). Then a buffer can end inside of an
//! element, also where its memory ends.

use crate::elem::ElemType;
use crate::ir::{Bits, Block, Function, Op, Param, ParamKind, Region, Type, Value};
use crate::limits;
use crate::ops::{AccessKind, Address, Effect, LoadHints, MapKind, StoreHints, last_vector};

use super::expand::{Expansion, expanded};

/// An element number outside of every buffer, for elements of any size.
const NOWHERE: u64 = u32::MAX as u64;
/// A byte that is outside of every buffer, as are those that follow.
const FAR: u64 = 1 << 31;

const I32: Type = Type::scalar(ElemType::I32);
const U32: Type = Type::scalar(ElemType::U32);

const fn row(elem: ElemType, count: usize) -> Type {
    Type::new(elem, 1, count)
}

/// The kernel with an end for each buffer; `None` if it has no buffers.
pub(crate) fn expand(function: &Function) -> Option<Function> {
    let mut params = function.params.clone();
    // For each parameter: the parameter with its number of bytes, and its elements.
    let mut ends = vec![None; params.len()];
    for (end, Param { name, kind }) in ends.iter_mut().zip(&function.params) {
        if let ParamKind::Buffer { elem, .. } = kind {
            *end = Some((params.len(), *elem));
            let kind = ParamKind::Uniform { elem: ElemType::I32, rows: 1, columns: 1 };
            params.push(Param { name: format!("{name}_bytes"), kind });
        }
    }
    ends.iter().flatten().next()?;
    let body = expanded(function, |inst, insts| {
        let Op::Access { kind, param, operands } = &inst.op else { return false };
        let Some((end, own)) = ends.get(*param).copied().flatten() else { return false };
        let spec = kind.spec();
        let (Some(elem), &[address, ref data @ ..]) = (inst.ty.elem(), &operands[..]) else { return false };
        let mut access = Access { insts, param: *param, kind: *kind, end, own, ty: inst.ty, elem };
        match (spec.address, spec.effect) {
            (Address::Elements, _) => {
                let mut operands = vec![access.inside_or_nowhere(address, elem, inst.ty)];
                operands.extend(data);
                access.insts.push(Op::Access { kind: *kind, param: *param, operands }, inst.result, inst.ty);
            }
            (Address::Vectors, Effect::Read) => {
                let Some(result) = inst.result else { return false };
                access.read_vectors(address, result);
            }
            (Address::Vectors, _) => {
                let &[data] = data else { return false };
                access.write_vectors(address, data);
            }
            (Address::Bytes { alignment }, Effect::Read) => {
                let Some(result) = inst.result else { return false };
                let start = access.rounded(address, alignment.bytes());
                access.read(start, result);
            }
            (Address::Bytes { alignment }, Effect::Write) => {
                let &[data] = data else { return false };
                let start = access.rounded(address, alignment.bytes());
                access.write(start, data);
            }
            _ => return false,
        }
        true
    });
    Some(Function { params, body: body.unwrap_or_default(), ..function.clone() })
}

/// An access to a buffer.
struct Access<'a> {
    insts: &'a mut Expansion,
    param: usize,
    kind: AccessKind,
    /// The parameter with the number of bytes.
    end: usize,
    /// The elements of the buffer, of which it has a whole number.
    own: ElemType,
    ty: Type,
    elem: ElemType,
}

impl Access<'_> {
    fn constant(&mut self, bits: u64, ty: Type) -> Value {
        self.insts.emit(Op::Constant(Bits::Splat(bits)), ty)
    }

    /// A number of bytes, rounded down.
    fn rounded(&mut self, start: Value, alignment: usize) -> Value {
        let high = self.constant(u64::from(u32::MAX) & !(alignment as u64 - 1), U32);
        self.insts.emit(Op::map(MapKind::And, ElemType::U32, &[start, high]), U32)
    }

    /// The numbers of elements of this type that are inside; outside of every buffer in place of the others.
    fn inside_or_nowhere(&mut self, numbers: Value, elem: ElemType, shape: Type) -> Value {
        let (numbers_ty, masks) = (shape.with_elem(ElemType::U32), shape.with_elem(ElemType::U16));
        let bytes = self.insts.emit(Op::Argument(self.end), I32);
        let mut bytes = self.insts.emit(Op::convert(bytes, ElemType::U32), U32);
        if elem.bytes() > self.own.bytes() {
            bytes = self.rounded(bytes, elem.bytes());
        }
        let bytes = match numbers_ty.count() {
            1 => bytes,
            _ => self.insts.emit(Op::Splat(bytes), numbers_ty),
        };
        // Addresses wrap in 32 bits, so the addresses are compared and not the numbers.
        let starts = match elem.bytes() {
            1 => numbers,
            size => {
                let shift = self.constant(u64::from(size.trailing_zeros()), numbers_ty);
                self.insts.emit(Op::map(MapKind::Shl, ElemType::U32, &[numbers, shift]), numbers_ty)
            }
        };
        let nowhere = self.constant(NOWHERE, numbers_ty);
        let inside = self.insts.emit(Op::map(MapKind::Lt, ElemType::U32, &[starts, bytes]), masks);
        let operands = [inside, numbers, nowhere];
        self.insts.emit(Op::map(MapKind::Merge, ElemType::U32, &operands), numbers_ty)
    }

    /// The numbers of the elements of each row of vectors; outside of every buffer in place of those outside.
    fn vector_rows(&mut self, firsts: Value) -> Vec<Value> {
        let (rows, size) = (self.ty.rows, self.elem.bytes());
        let shape = row(ElemType::U32, self.ty.columns);
        // A vector does not wrap: one far outside stays there.
        let all = self.constant(u64::from(u32::MAX / size as u32), shape);
        let last = self.constant(last_vector(rows, size).into(), shape);
        let firsts = self.insts.emit(Op::map(MapKind::And, ElemType::U32, &[firsts, all]), shape);
        let firsts = self.insts.emit(Op::map(MapKind::Min, ElemType::U32, &[firsts, last]), shape);
        let number = |n: usize| {
            let n = self.constant(n as u64, shape);
            let numbers = self.insts.emit(Op::map(MapKind::Add, ElemType::U32, &[firsts, n]), shape);
            self.inside_or_nowhere(numbers, self.elem, shape)
        };
        (0..rows).map(number).collect()
    }

    /// Reads vectors row by row.
    fn read_vectors(&mut self, firsts: Value, result: Value) {
        let AccessKind::GatherVectors(hints) = self.kind else { return };
        let (columns, mut all) = (self.ty.columns, self.constant(0, self.ty));
        let rows = self.vector_rows(firsts);
        let last = rows.len() - 1;
        for (n, numbers) in rows.into_iter().enumerate() {
            let kind = AccessKind::Gather(hints);
            let gather = Op::Access { kind, param: self.param, operands: vec![numbers] };
            let part = self.insts.emit(gather, row(self.elem, columns));
            let insert = Op::Insert(all, Region::contiguous(n * columns, columns), part);
            if n == last {
                self.insts.push(insert, Some(result), self.ty);
            } else {
                all = self.insts.emit(insert, self.ty);
            }
        }
    }

    /// Writes vectors row by row.
    fn write_vectors(&mut self, firsts: Value, data: Value) {
        let AccessKind::ScatterVectors(hints) = self.kind else { return };
        let columns = self.ty.columns;
        for (n, numbers) in self.vector_rows(firsts).into_iter().enumerate() {
            let part = Op::Region(data, Region::contiguous(n * columns, columns));
            let operands = vec![numbers, self.insts.emit(part, row(self.elem, columns))];
            let kind = AccessKind::Scatter(hints);
            self.insts.push(Op::Access { kind, param: self.param, operands }, None, row(self.elem, columns));
        }
    }

    /// Whether the whole block is inside.
    fn is_inside(&mut self, start: Value) -> Value {
        let bytes = self.insts.emit(Op::Argument(self.end), I32);
        let own = self.constant(self.ty.bytes() as u64, I32);
        let last = self.insts.emit(Op::map(MapKind::Sub, ElemType::I32, &[bytes, own]), I32);
        // Offsets in the upper half of 32 bits are outside of every buffer. As signed numbers they are negative.
        let start = self.insts.emit(Op::convert(start, ElemType::I32), I32);
        let room = self.insts.emit(Op::map(MapKind::Sub, ElemType::I32, &[last, start]), I32);
        let least = self.insts.emit(Op::map(MapKind::Min, ElemType::I32, &[start, room]), I32);
        let (zero, mask) = (self.constant(0, I32), Type::scalar(ElemType::U16));
        let inside = self.insts.emit(Op::map(MapKind::Ge, ElemType::I32, &[least, zero]), mask);
        self.insts.emit(Op::Any(inside), Type::CONDITION)
    }

    fn nested(&mut self, emit: impl FnOnce(&mut Access<'_>)) -> Block {
        let Self { param, kind, end, own, ty, elem, .. } = *self;
        self.insts.nested(|insts| emit(&mut Access { insts, param, kind, end, own, ty, elem })).0
    }

    fn read(mut self, start: Value, result: Value) {
        let (variable, ty) = (self.insts.variable(), self.ty);
        self.insts.push(Op::Declare(variable, None), None, ty);
        let inside = self.is_inside(start);
        let block = self.nested(|access| {
            let block = Op::Access { kind: access.kind, param: access.param, operands: vec![start] };
            let block = access.insts.emit(block, ty);
            access.insts.push(Op::Store(variable, block), None, ty);
        });
        let elements = self.nested(|access| {
            let block = access.gathered(start);
            access.insts.push(Op::Store(variable, block), None, ty);
        });
        self.insts.push(Op::If(inside, block, elements), None, Type::CONDITION);
        self.insts.push(Op::Load(variable), Some(result), ty);
    }

    fn write(mut self, start: Value, data: Value) {
        let (inside, ty) = (self.is_inside(start), self.ty);
        let block = self.nested(|access| {
            let operands = vec![start, data];
            access.insts.push(Op::Access { kind: access.kind, param: access.param, operands }, None, ty);
        });
        let elements = self.nested(|access| access.scatter(start, data));
        self.insts.push(Op::If(inside, block, elements), None, Type::CONDITION);
    }

    /// The type of the elements that messages move one by one: the smaller ones of those of the access and those of the
    /// buffer, which ends after a whole one. Qwords have no message on all targets, so they are moved as dwords.
    fn moved(&self) -> ElemType {
        let elem = if self.elem.bytes() <= self.own.bytes() { self.elem } else { self.own };
        if elem.bytes() <= limits::DWORD { elem } else { ElemType::U32 }
    }

    /// The numbers of the elements of the block that are inside, a message at a time: first element, count, numbers.
    fn messages(&mut self, start: Value) -> Vec<(usize, usize, Value)> {
        let elem = self.moved();
        // A block does not wrap: one far outside stays there.
        let far = self.constant(FAR, U32);
        let start = self.insts.emit(Op::map(MapKind::Min, ElemType::U32, &[start, far]), U32);
        let shift = self.constant(u64::from(elem.bytes().trailing_zeros()), U32);
        let first = self.insts.emit(Op::map(MapKind::Shr, ElemType::U32, &[start, shift]), U32);
        let (mut all, mut at, whole) = (vec![], 0, self.ty.bytes() / elem.bytes());
        while at < whole {
            let left = (whole - at).min(limits::SCATTERED_LANES);
            let count = if left.is_power_of_two() { left } else { left.next_power_of_two() / 2 };
            let ty = row(ElemType::U32, count);
            let steps = (at as u64..).take(count).collect();
            let (steps, first) = match count {
                1 => (self.constant(at as u64, U32), first),
                _ => {
                    let steps = self.insts.emit(Op::Constant(Bits::Each(steps)), ty);
                    (steps, self.insts.emit(Op::Splat(first), ty))
                }
            };
            let numbers = self.insts.emit(Op::map(MapKind::Add, ElemType::U32, &[first, steps]), ty);
            all.push((at, count, self.inside_or_nowhere(numbers, elem, ty)));
            at += count;
        }
        all
    }

    /// Reads a block element by element.
    fn gathered(&mut self, start: Value) -> Value {
        let elem = self.moved();
        let ty = row(elem, self.ty.bytes() / elem.bytes());
        let mut all = self.constant(0, ty);
        for (at, count, numbers) in self.messages(start) {
            let gather = Op::Access {
                kind: AccessKind::Gather(LoadHints::Default),
                param: self.param,
                operands: vec![numbers],
            };
            let part = self.insts.emit(gather, row(elem, count));
            let region = Region::contiguous(at, count);
            all = if count == ty.count() { part } else { self.insts.emit(Op::Insert(all, region, part), ty) };
        }
        if ty == self.ty { all } else { self.insts.emit(Op::Format(all), self.ty) }
    }

    /// Writes a block element by element.
    fn scatter(&mut self, start: Value, data: Value) {
        let elem = self.moved();
        let ty = row(elem, self.ty.bytes() / elem.bytes());
        let data = if ty == self.ty { data } else { self.insts.emit(Op::Format(data), ty) };
        for (at, count, numbers) in self.messages(start) {
            let part = Op::Region(data, Region::contiguous(at, count));
            let part = if count == ty.count() { data } else { self.insts.emit(part, row(elem, count)) };
            let operands = vec![numbers, part];
            let scatter =
                Op::Access { kind: AccessKind::Scatter(StoreHints::Default), param: self.param, operands };
            self.insts.push(scatter, None, row(elem, count));
        }
    }
}

#[cfg(test)]
mod tests;
