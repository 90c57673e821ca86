//! Conversions of `bf16`, whose elements are recorded as their bits, `u16`.

use super::recording;
use crate::elem::ElemType;
use crate::ops::MapKind;
use cm_compiler::ir::{Bits, Op, Type, Value};

/// `x op constant`.
#[track_caller]
fn with(kind: MapKind, x: Value, constant: u64, ty: Type) -> Value {
    let constant = recording::value(Op::Constant(Bits::Splat(constant)), ty);
    both(kind, x, constant, ty)
}

#[track_caller]
fn both(kind: MapKind, a: Value, b: Value, ty: Type) -> Value {
    let elem = ty.elem().unwrap_or(ElemType::U32);
    recording::value(Op::map(kind, elem, &[a, b]), ty)
}

/// The bits of `bf16` as `f32`.
#[track_caller]
pub(super) fn widened(x: Value, rows: usize, columns: usize) -> Value {
    let dwords = Type::new(ElemType::U32, rows, columns);
    let low = recording::value(Op::convert(x, ElemType::U32), dwords);
    let high = with(MapKind::Shl, low, 16, dwords);
    recording::value(Op::Format(high), Type::new(ElemType::F32, rows, columns))
}

/// The bits of the nearest `bf16`, of two the even one; of a NaN those of a quiet one.
#[track_caller]
pub(super) fn rounded(x: Value, rows: usize, columns: usize) -> Value {
    let dwords = Type::new(ElemType::U32, rows, columns);
    let bits = recording::value(Op::Format(x), dwords);
    let odd = with(MapKind::Shr, bits, 16, dwords);
    let odd = with(MapKind::And, odd, 1, dwords);
    let near = with(MapKind::Add, bits, 0x7fff, dwords);
    let near = both(MapKind::Add, near, odd, dwords);
    let size = with(MapKind::And, bits, 0x7fff_ffff, dwords);
    let masks = Type::new(ElemType::U16, rows, columns);
    let infinity = recording::value(Op::Constant(Bits::Splat(0x7f80_0000)), dwords);
    let nan = recording::value(Op::map(MapKind::Gt, ElemType::U32, &[size, infinity]), masks);
    let quiet = with(MapKind::Or, bits, 0x0040_0000, dwords);
    let all = recording::value(Op::map(MapKind::Merge, ElemType::U32, &[nan, quiet, near]), dwords);
    let high = with(MapKind::Shr, all, 16, dwords);
    recording::value(Op::convert(high, ElemType::U16), masks)
}

/// The bits without the sign: 0 where the number is.
#[track_caller]
pub(super) fn size(x: Value, rows: usize, columns: usize) -> Value {
    with(MapKind::And, x, 0x7fff, Type::new(ElemType::U16, rows, columns))
}
