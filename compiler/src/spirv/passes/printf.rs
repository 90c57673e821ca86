//! `printf!` on a GPU: records in a buffer that the host reads after the launch.
//!
//! A kernel that prints has one more parameter, the last one: a buffer of [`PRINTF_BYTES`]. Its first dword
//! counts the dwords that records occupy, the second one counts the records; the records begin at the fifth.
//! A record consists of the number of the `printf!` in the kernel, the coordinates of the thread, and the
//! elements of the values in order, one or two dwords each.
//!
//! A thread allocates the dwords of a record by an atomic addition, so records never overlap. If the buffer
//! is full, the thread allocates nothing; otherwise a long launch would overflow the 32-bit counter and start
//! again at the first record. The part of a record beyond the end of the buffer is dropped by the hardware.

use rustc_hash::FxHashMap;

use crate::elem::ElemType;
use crate::ir::{Axis, Bits, Function, Op, Param, ParamKind, Region, ThreadId, Type, Value};
use crate::ops::{AccessKind, AtomicHints, AtomicKind, MapKind, StoreHints};
use crate::printf::{Printed, Template};

use super::dispatch::{Dispatch, thread_id};
use super::expand::{Expansion, expanded};

/// Dwords before the first record.
const HEADER: usize = 4;
/// Dwords of a record before its values.
const RECORD_HEADER: usize = 3;
/// Dwords of all records of a launch.
const RECORDS: usize = (1 << 20) / 4;
/// Elements of the largest scattered write.
const CHUNK: usize = 16;

/// The size in bytes of the buffer that a kernel with `printf!` takes as its last argument. The launch must
/// start with all bytes 0.
pub const PRINTF_BYTES: usize = (HEADER + RECORDS) * 4;

/// The size in bytes of the part of that buffer that a launch filled: all that [`printed_lines`] needs. `first` is the
/// first dword of the buffer.
#[must_use]
pub fn printf_filled_bytes(first: u32) -> usize {
    (HEADER + (first as usize).min(RECORDS)) * 4
}

/// The space that is left for the output of a launch.
#[derive(Clone, Copy, Default, Debug)]
pub struct PrintfRoom {
    taken: usize,
}

impl PrintfRoom {
    /// Reserves space for a line with these values, by the same rule as kernels on a GPU. Returns whether the
    /// line fits.
    pub fn take(&mut self, values: &[Printed]) -> bool {
        if self.taken >= RECORDS {
            return false;
        }
        let dwords = |value: &Printed| value.bits.len() * value.elem.bytes().div_ceil(4);
        self.taken += RECORD_HEADER + values.iter().map(dwords).sum::<usize>();
        self.taken <= RECORDS
    }
}

/// A line that a kernel thread printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrintfLine {
    /// The coordinates of the thread.
    pub thread: [u32; 2],
    /// The line, without a line break at its end.
    pub text: String,
}

/// Every `printf!` of a kernel, in order.
fn prints(function: &Function) -> impl Iterator<Item = (&Template, &[Value])> {
    function.body.instructions().filter_map(|inst| match &inst.op {
        Op::Print { template, values } => Some((template, &**values)),
        _ => None,
    })
}

/// Reads the buffer of a launch: the lines, in the order in which they were printed, and the number of lines
/// that did not fit.
#[must_use]
pub fn printed_lines(function: &Function, dwords: &[u32]) -> (Vec<PrintfLine>, u64) {
    let mut types = FxHashMap::default();
    for inst in function.body.instructions() {
        types.extend(inst.result.map(|result| (result, inst.ty)));
    }
    let all: Vec<(&Template, Vec<Type>)> = prints(function)
        .map(|(template, values)| (template, values.iter().filter_map(|x| types.get(x).copied()).collect()))
        .collect();
    let mut header = dwords.iter().copied();
    let (taken, count) = (header.next().unwrap_or(0) as usize, header.next().unwrap_or(0));
    let records = dwords.get(HEADER..).unwrap_or_default();
    let mut rest = &records[..taken.min(records.len())];
    let mut lines = Vec::new();
    while let [number, x, y, values @ ..] = rest {
        let Some((template, types)) = all.get(*number as usize) else { break };
        let mut left = values;
        let printed: Option<Vec<Printed>> = types.iter().map(|ty| value(*ty, &mut left)).collect();
        let Some(printed) = printed else { break };
        lines.push(PrintfLine { thread: [*x, *y], text: template.render(&printed) });
        rest = left;
    }
    let dropped = u64::from(count).saturating_sub(lines.len() as u64);
    (lines, dropped)
}

/// Reads the elements of a value.
fn value(ty: Type, dwords: &mut &[u32]) -> Option<Printed> {
    let elem = ty.elem()?;
    let wide = elem.bytes().div_ceil(4);
    let (own, rest) = dwords.split_at_checked(ty.count() * wide)?;
    *dwords = rest;
    let bits = |element: &[u32]| element.iter().rev().fold(0, |bits, dword| bits << 32 | u64::from(*dword));
    Some(Printed { elem, columns: ty.columns, bits: own.chunks(wide).map(bits).collect() })
}

/// The kernel with each `printf!` replaced by accesses to the additional buffer; `None` if it prints nothing. It has been expanded for
/// its dispatch, so that the argument of a line, if it has one, is the last one.
pub(crate) fn expand(function: &Function, dispatch: Dispatch) -> Option<Function> {
    prints(function).next()?;
    let param = function.params.len();
    let mut number = 0..;
    let body = expanded(function, |inst, insts| {
        let Op::Print { values, .. } = &inst.op else { return false };
        Record { param, dispatch, insts }.write(number.next().unwrap_or(0), values);
        true
    })?;
    let mut expanded = Function { body, ..function.clone() };
    let kind = ParamKind::Buffer { elem: ElemType::U32, writable: true };
    expanded.params.push(Param { name: "printf".to_owned(), kind });
    Some(expanded)
}

/// The instructions of one `printf!`.
struct Record<'a> {
    /// The buffer.
    param: usize,
    dispatch: Dispatch,
    insts: &'a mut Expansion,
}

/// Dwords.
const fn dwords(count: usize) -> Type {
    Type::new(ElemType::U32, 1, count)
}

impl Record<'_> {
    fn number(&mut self, x: usize) -> Value {
        self.insts.constant(x as u64, dwords(1))
    }

    fn atomic(&mut self, kind: AtomicKind, element: usize, sources: &[Value]) -> Value {
        let mut operands = vec![self.number(element)];
        operands.extend(sources);
        self.insts.emit(
            Op::Access { kind: AccessKind::Atomic(kind, AtomicHints::Default), param: self.param, operands },
            dwords(1),
        )
    }

    fn write(mut self, number: usize, values: &[Value]) {
        let types: Vec<Type> = values.iter().filter_map(|x| self.insts.ty(*x)).collect();
        let size = RECORD_HEADER + types.iter().map(|ty| ty.bytes().max(ty.count() * 4) / 4).sum::<usize>();
        self.atomic(AtomicKind::Inc, 1, &[]);
        let zero = self.number(0);
        // An atomic operation, because a read may be served from a cache.
        let taken = self.atomic(AtomicKind::Or, 0, &[zero]);
        let (all, size) = (self.number(RECORDS), self.number(size));
        let truth = Type::scalar(ElemType::U16);
        let full = self.insts.map(MapKind::Ge, ElemType::U32, &[taken, all], truth);
        let take = self.insts.map(MapKind::Merge, ElemType::U32, &[full, zero, size], dwords(1));
        let start = self.atomic(AtomicKind::Add, 0, &[take]);
        let mut at = HEADER;
        let print = self.number(number);
        self.scatter(start, at, 1, print);
        for (n, axis) in [Axis::X, Axis::Y].into_iter().enumerate() {
            let (id, line) = (ThreadId::Origin(axis), self.param.saturating_sub(1));
            let coordinate = thread_id(id, self.dispatch, line, self.insts).unwrap_or(Op::Thread(id));
            let coordinate = self.insts.emit(coordinate, dwords(1));
            self.scatter(start, at + 1 + n, 1, coordinate);
        }
        at += RECORD_HEADER;
        for (value, ty) in values.iter().zip(types) {
            at = self.value(start, at, *value, ty);
        }
    }

    /// Writes the elements of a value. Returns the position after them.
    fn value(&mut self, start: Value, mut at: usize, value: Value, ty: Type) -> usize {
        let Some(elem) = ty.elem() else { return at };
        let wide = elem.bytes().div_ceil(4);
        let mut first = 0;
        while first < ty.count() {
            let left = ty.count() - first;
            let count = (CHUNK / wide).min(1 << left.ilog2());
            let part = match ty.rows == 1 && count == ty.columns {
                true => value,
                false => {
                    let region = Region::contiguous(first, count);
                    self.insts.emit(Op::Region(value, region), Type::new(elem, 1, count))
                }
            };
            let bits = self.dwords_of(part, elem, count);
            self.scatter(start, at, count * wide, bits);
            (first, at) = (first + count, at + count * wide);
        }
        at
    }

    /// The bits of elements, one or two dwords each.
    fn dwords_of(&mut self, part: Value, elem: ElemType, count: usize) -> Value {
        if elem == ElemType::U32 {
            return part;
        }
        let wide = elem.bytes().div_ceil(4);
        match (elem.bytes(), elem.is_float()) {
            (4 | 8, _) => self.insts.emit(Op::Format(part), dwords(count * wide)),
            (_, is_float) => {
                let bits = match is_float {
                    true => self.insts.emit(Op::Format(part), Type::new(ElemType::U16, 1, count)),
                    false => part,
                };
                self.insts.emit(Op::convert(bits, ElemType::U32), dwords(count))
            }
        }
    }

    /// Writes dwords to the record, at a position relative to `start`.
    fn scatter(&mut self, start: Value, at: usize, count: usize, data: Value) {
        let each = (at..at + count).map(|k| k as u64).collect();
        let offsets = self.insts.emit(Op::Constant(Bits::Each(each)), dwords(count));
        let start = self.insts.splat(start, dwords(count));
        let elements = self.insts.map(MapKind::Add, ElemType::U32, &[start, offsets], dwords(count));
        let (kind, param) = (AccessKind::Scatter(StoreHints::Default), self.param);
        let op = Op::Access { kind, param, operands: vec![elements, data] };
        self.insts.push(op, None, dwords(count));
    }
}

#[cfg(test)]
mod tests;
