//! Typed accesses to surfaces in buffers: the bytes of texels are accessed one by one, and combined to
//! channels by the format in the shape.

use crate::elem::ElemType;
use crate::ir::{Op, Region, Type, Value};
use crate::ops::{AccessKind, AtomicHints, AtomicKind, ChannelMask, LoadHints, MapKind, StoreHints, Texel};

use super::super::expand::Expansion;
use super::shape::{Shape, row_of};

/// Bytes of the largest texel.
const MOST: usize = 4;

const U16: ElemType = ElemType::U16;
const U32: ElemType = ElemType::U32;

/// An access to texels of a surface.
pub(super) struct Texels<'a> {
    insts: &'a mut Expansion,
    /// The buffer.
    param: usize,
    channels: ChannelMask,
    /// Texels.
    count: usize,
    /// Bytes of a texel.
    bytes: Value,
    /// The value of the alpha channel if texels have none.
    alpha: Value,
    /// Masks: texels with four channels, other texels, and texels outside of the surface.
    four: Value,
    one: Value,
    outside: Value,
    /// The first byte of each texel.
    starts: Value,
}

impl<'a> Texels<'a> {
    /// The texels at these coordinates: columns, rows, and on 3-D surfaces slices.
    pub(super) fn new(
        insts: &'a mut Expansion,
        (param, channels): (usize, ChannelMask),
        shape: Shape,
        coordinates: &[Value],
        count: usize,
    ) -> Self {
        let (u, v, anything) = (coordinates[0], coordinates[1], coordinates[0]);
        let mut texels = Self {
            insts,
            param,
            channels,
            count,
            bytes: anything,
            alpha: anything,
            four: anything,
            one: anything,
            outside: anything,
            starts: anything,
        };
        let numbers = [Shape::pitch, Shape::width, Shape::height, Shape::mask, Shape::alpha];
        let numbers = numbers.map(|number| number(shape, texels.insts));
        let [pitch, width, height, mask, alpha] = numbers.map(|number| texels.unsigned(number));
        let one = texels.number(1);
        texels.bytes = texels.map(MapKind::Add, U32, mask, one);
        texels.alpha = alpha;
        let zero = texels.number(0);
        texels.four = texels.compare(MapKind::Eq, alpha, zero);
        texels.one = texels.compare(MapKind::Ne, alpha, zero);
        // Texels have 1, 2 or 4 bytes, so this is log2 of the size.
        let shift = texels.map(MapKind::Shr, U32, texels.bytes, one);
        let columns = texels.map(MapKind::Shr, U32, width, shift);
        let beside = texels.compare(MapKind::Ge, u, columns);
        let below = texels.compare(MapKind::Ge, v, height);
        texels.outside = texels.map(MapKind::Or, U16, beside, below);
        let mut row = v;
        if let Some(&r) = coordinates.get(2) {
            let slices = shape.slices(texels.insts);
            let slices = texels.unsigned(slices);
            let behind = texels.compare(MapKind::Ge, r, slices);
            texels.outside = texels.map(MapKind::Or, U16, texels.outside, behind);
            let before = texels.map(MapKind::Mul, U32, r, height);
            row = texels.map(MapKind::Add, U32, before, v);
        }
        let (row, column) =
            (texels.map(MapKind::Mul, U32, row, pitch), texels.map(MapKind::Shl, U32, u, shift));
        texels.starts = texels.map(MapKind::Add, U32, row, column);
        texels
    }

    /// Reads the channels, one row each.
    pub(super) fn read(mut self, ty: Type, result: Value) {
        let mut bytes = vec![];
        for byte in 0..MOST {
            let elements = self.elements(byte, None);
            let gather = Op::Access {
                kind: AccessKind::Gather(LoadHints::Default),
                param: self.param,
                operands: vec![elements],
            };
            let read = self.insts.emit(gather, row_of(ElemType::U8, self.count));
            bytes.push(self.insts.emit(Op::convert(read, U32), row_of(U32, self.count)));
        }
        let dwords = ty.with_elem(U32);
        let mut all = self.insts.constant(0, dwords);
        for (row, channel) in self.channels.channels().enumerate() {
            let other = match channel {
                0 => self.joined(&bytes),
                Texel::ALPHA => self.missing_alpha(),
                _ => self.number(0),
            };
            let values = self.merge(self.four, bytes[channel], other);
            let part = Region::contiguous(row * self.count, self.count);
            all = self.insts.emit(Op::Insert(all, part, values), dwords);
        }
        self.insts.push(Op::Format(all), Some(result), ty);
    }

    /// Combines bytes to dwords.
    fn joined(&mut self, bytes: &[Value]) -> Value {
        let mut dwords = bytes[0];
        for (byte, value) in bytes.iter().enumerate().skip(1) {
            let places = self.number(8 * byte as u64);
            let higher = self.map(MapKind::Shl, U32, *value, places);
            dwords = self.map(MapKind::Or, U32, dwords, higher);
        }
        dwords
    }

    /// The alpha channel of texels that have none. It is 0 outside of the surface, like every channel.
    fn missing_alpha(&mut self) -> Value {
        let zero = self.number(0);
        self.merge(self.outside, zero, self.alpha)
    }

    /// Writes the channels. `data` has a row for each.
    pub(super) fn write(mut self, ty: Type, data: Value) {
        let data = self.insts.emit(Op::Format(data), ty.with_elem(U32));
        let mut rows = [None; Texel::CHANNELS];
        for (row, channel) in self.channels.channels().enumerate() {
            let part = Op::Region(data, Region::contiguous(row * self.count, self.count));
            let row = self.insts.emit(part, row_of(U32, self.count));
            let most = self.most();
            rows[channel] = Some(self.map(MapKind::Min, U32, row, most));
        }
        for (byte, row) in rows.into_iter().enumerate() {
            let mut values = row.map(|row| (row, self.four));
            if let Some(red) = rows[0] {
                let (places, number) = (self.number(8 * byte as u64), self.number(byte as u64));
                let part = self.map(MapKind::Shr, U32, red, places);
                let has = self.compare(MapKind::Gt, self.bytes, number);
                let has = self.map(MapKind::And, U16, has, self.one);
                values = Some(match values {
                    Some((row, four)) => (self.merge(four, row, part), self.map(MapKind::Or, U16, has, four)),
                    None => (part, has),
                });
            }
            let Some((values, written)) = values else { continue };
            let elements = self.elements(byte, Some(written));
            let ty = row_of(ElemType::U8, self.count);
            let bytes = self.insts.emit(Op::convert(values, ElemType::U8), ty);
            let operands = vec![elements, bytes];
            self.insts.push(
                Op::Access { kind: AccessKind::Scatter(StoreHints::Default), param: self.param, operands },
                None,
                ty,
            );
        }
    }

    /// Updates texels of one dword. Returns the old values.
    pub(super) fn update(mut self, kind: AtomicKind, sources: &[Value], ty: Type, result: Value) {
        let shift = self.number(u64::from(MOST.trailing_zeros()));
        let elements = self.map(MapKind::Shr, U32, self.starts, shift);
        let none = self.number(u32::MAX.into());
        let elements = self.merge(self.outside, none, elements);
        let operands = std::iter::once(elements).chain(sources.iter().copied()).collect();
        let op =
            Op::Access { kind: AccessKind::Atomic(kind, AtomicHints::Default), param: self.param, operands };
        self.insts.push(op, Some(result), ty);
    }

    /// The largest integer that fits a channel.
    fn most(&mut self) -> Value {
        let (eight, all, bits) = (self.number(8), self.number(u32::MAX.into()), self.number(32));
        let bytes = self.map(MapKind::Mul, U32, self.bytes, eight);
        let unused = self.map(MapKind::Sub, U32, bits, bytes);
        let most = self.map(MapKind::Shr, U32, all, unused);
        let byte = self.number(u8::MAX.into());
        self.merge(self.four, byte, most)
    }

    /// The elements of the buffer with this byte of the texels. They are out of bounds for texels outside of
    /// the surface, and for texels that `taken` excludes; without `taken`, for texels that have no such byte.
    fn elements(&mut self, byte: usize, taken: Option<Value>) -> Value {
        let (distance, none) = (self.number(byte as u64), self.number(u32::MAX.into()));
        let elements = self.map(MapKind::Add, U32, self.starts, distance);
        let taken = taken.unwrap_or_else(|| self.compare(MapKind::Gt, self.bytes, distance));
        let elements = self.merge(taken, elements, none);
        self.merge(self.outside, none, elements)
    }

    /// A number for each texel.
    fn number(&mut self, x: u64) -> Value {
        self.insts.constant(x, row_of(U32, self.count))
    }

    /// A number of the shape as `u32`, for each texel.
    fn unsigned(&mut self, x: Value) -> Value {
        let number = self.insts.emit(Op::convert(x, U32), Type::scalar(U32));
        self.insts.splat(number, row_of(U32, self.count))
    }

    fn map(&mut self, kind: MapKind, elem: ElemType, a: Value, b: Value) -> Value {
        self.insts.map(kind, elem, &[a, b], row_of(elem, self.count))
    }

    fn compare(&mut self, kind: MapKind, a: Value, b: Value) -> Value {
        self.insts.map(kind, U32, &[a, b], row_of(U16, self.count))
    }

    fn merge(&mut self, mask: Value, a: Value, b: Value) -> Value {
        self.insts.map(MapKind::Merge, U32, &[mask, a, b], row_of(U32, self.count))
    }
}
