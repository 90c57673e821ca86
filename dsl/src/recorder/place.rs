//! Places while they are recorded: the positions of their elements in the bytes of an object.

use super::handle::{Handle, Recorder};
use super::recording::{self, now};
use crate::backend::{Region, Start};
use crate::elem::{Elem, ElemType};
use crate::ops::MapKind;
use cm_compiler::ir::{self, Op, Type, Value};

/// Elements inside a register object. Strides and the known offset are in bytes; the unknown offset is a number of
/// units.
#[derive(Debug)]
pub struct Place<'a> {
    object: &'a mut Handle,
    ty: Type,
    offset: usize,
    dynamic: Option<Units>,
    row_stride: usize,
    column_stride: usize,
}

/// `value` times `bytes` bytes.
#[derive(Clone, Copy, Debug)]
struct Units {
    value: Value,
    bytes: usize,
}

/// `a op constant`, of `u32`.
#[track_caller]
fn arithmetic(kind: MapKind, a: Value, constant: usize) -> Value {
    let b = recording::number(ElemType::U32, constant as u64);
    recording::value(Op::map(kind, ElemType::U32, &[a, b]), Type::scalar(ElemType::U32))
}

#[track_caller]
fn times(value: Value, factor: usize) -> Value {
    if factor == 1 { value } else { arithmetic(MapKind::Mul, value, factor) }
}

impl Units {
    #[track_caller]
    fn plus(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        // The largest common unit: it can still count elements of its own width.
        let bytes = gcd(self.bytes, other.bytes);
        let (a, b) = (times(self.value, self.bytes / bytes), times(other.value, other.bytes / bytes));
        let value =
            recording::value(Op::map(MapKind::Add, ElemType::U32, &[a, b]), Type::scalar(ElemType::U32));
        Self { value, bytes }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl<'a> Place<'a> {
    pub(super) fn whole<T: Elem, const R: usize, const C: usize>(object: &'a mut Handle) -> Self {
        let size = T::TYPE.bytes();
        let ty = Type::new(T::TYPE, R, C);
        Self { object, ty, offset: 0, dynamic: None, row_stride: C * size, column_stride: size }
    }

    /// The same, for a shorter time.
    pub(super) fn again(&mut self) -> Place<'_> {
        Place { object: self.object, ..*self }
    }

    #[track_caller]
    pub(super) fn narrow(mut self, columns: usize, region: Region<Recorder>) -> Self {
        let step = |n: usize| (n / columns) * self.row_stride + (n % columns) * self.column_stride;
        let rows = step(region.row_stride);
        match region.offset {
            Start::Host(at) => self.offset += step(at),
            Start::Staged(handle) => {
                let at = now::<u32, 1, 1>(handle);
                // Without gaps between rows the linear position is enough.
                let added = if self.row_stride == columns * self.column_stride {
                    Units { value: at, bytes: self.column_stride }
                } else {
                    let row = Units { value: arithmetic(MapKind::Div, at, columns), bytes: self.row_stride };
                    let column =
                        Units { value: arithmetic(MapKind::Rem, at, columns), bytes: self.column_stride };
                    row.plus(Some(column))
                };
                self.dynamic = Some(added.plus(self.dynamic));
            }
        }
        self.row_stride = rows;
        self.column_stride *= region.column_stride;
        self
    }

    pub(super) fn format<T: Elem>(self, columns: usize) -> Self {
        let size = T::TYPE.bytes();
        Self { row_stride: columns * size, column_stride: size, ..self }
    }

    /// The regions that form `rows` x `columns` elements of this type, and the type of the elements that they count: this one if
    /// everything is a multiple of its size, otherwise bytes.
    #[track_caller]
    fn regions(&self, elem: ElemType, rows: usize, columns: usize) -> (ElemType, Vec<ir::Region>) {
        let size = elem.bytes();
        let aligned = |n: usize| n.is_multiple_of(size);
        let whole = aligned(self.offset)
            && (aligned(self.row_stride) || rows == 1)
            && (aligned(self.column_stride) || columns == 1)
            && self.dynamic.is_none_or(|units| aligned(units.bytes));
        let unit = if whole { size } else { 1 };
        let dynamic = self.dynamic.map(|units| times(units.value, units.bytes / unit));
        let offset = self.offset / unit;
        let (row_stride, column_stride) = (self.row_stride / unit, self.column_stride / unit);
        if whole {
            let region = ir::Region { offset, dynamic, row_stride, width: columns, column_stride };
            return (elem, vec![region]);
        }
        if self.column_stride == size || columns == 1 {
            let region = ir::Region { offset, dynamic, row_stride, width: columns * size, column_stride: 1 };
            return (ElemType::U8, vec![region]);
        }
        // Of elements with gaps the bytes take one of a region's two strides, so each row is a region of
        // its own.
        let row = |r| ir::Region {
            dynamic,
            row_stride: column_stride,
            ..ir::Region::contiguous(offset + r * row_stride, size)
        };
        (ElemType::U8, (0..rows).map(row).collect())
    }

    /// The object, as elements of this type.
    #[track_caller]
    fn elements(&self, elem: ElemType) -> (Value, Type) {
        let object = recording::load(*self.object, self.ty);
        if self.ty.elem() == Some(elem) {
            return (object, self.ty);
        }
        // As one row: regions count linear positions.
        let ty = Type::new(elem, 1, self.ty.bytes() / elem.bytes());
        (recording::value(Op::Format(object), ty), ty)
    }

    #[track_caller]
    pub(super) fn load(&self, own: ElemType, rows: usize, columns: usize) -> Handle {
        let (elem, regions) = self.regions(own, rows, columns);
        let (object, _) = self.elements(elem);
        let ty = Type::new(own, rows, columns);
        if elem == own {
            return Handle::Value(recording::value(Op::Region(object, regions[0]), ty));
        }
        let bytes = ty.bytes();
        let mut all = None;
        for (i, &region) in regions.iter().enumerate() {
            let count = bytes / regions.len();
            let part = recording::value(Op::Region(object, region), Type::new(ElemType::U8, 1, count));
            let at = ir::Region::contiguous(i * count, count);
            all = Some(match all {
                None if regions.len() == 1 => part,
                all => {
                    let ty = Type::new(ElemType::U8, 1, bytes);
                    let all = all.unwrap_or_else(|| recording::value(Op::Constant(ir::Bits::Splat(0)), ty));
                    recording::value(Op::Insert(all, at, part), ty)
                }
            });
        }
        let all = all.unwrap_or(object);
        Handle::Value(recording::value(Op::Format(all), ty))
    }

    #[track_caller]
    pub(super) fn store(&mut self, own: ElemType, rows: usize, columns: usize, value: Handle) {
        let value = recording::load(value, Type::new(own, rows, columns));
        let (elem, regions) = self.regions(own, rows, columns);
        let (mut object, ty) = self.elements(elem);
        if elem == own {
            object = recording::value(Op::Insert(object, regions[0], value), ty);
        } else {
            let bytes = rows * columns * own.bytes();
            let value = recording::value(Op::Format(value), Type::new(ElemType::U8, 1, bytes));
            let count = bytes / regions.len();
            for (i, &region) in regions.iter().enumerate() {
                let part = if regions.len() == 1 {
                    value
                } else {
                    let at = ir::Region::contiguous(i * count, count);
                    recording::value(Op::Region(value, at), Type::new(ElemType::U8, 1, count))
                };
                object = recording::value(Op::Insert(object, region, part), ty);
            }
        }
        if ty != self.ty {
            object = self.restored(object, ty);
        }
        recording::store(self.object, object, self.ty);
    }

    /// The object with its own elements again. Bytes at its end that do not form an element of the other type keep
    /// their value.
    #[track_caller]
    fn restored(&self, object: Value, ty: Type) -> Value {
        if ty.bytes() == self.ty.bytes() {
            return recording::value(Op::Format(object), self.ty);
        }
        let (old, old_ty) = self.elements(ElemType::U8);
        let new = recording::value(Op::Format(object), Type::new(ElemType::U8, 1, ty.bytes()));
        let at = ir::Region::contiguous(0, ty.bytes());
        let all = recording::value(Op::Insert(old, at, new), old_ty);
        if old_ty == self.ty { all } else { recording::value(Op::Format(all), self.ty) }
    }
}
