//! Conversions of `bf16` and `tf32`, whose elements are recorded as their bits, `u16` and `u32`.

use super::element::Element;
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

/// The bits of an `f32` that the elements keep.
const fn kept(elem: Element) -> u64 {
    (u32::MAX << elem.cut) as u64
}

/// Whether the elements store only the kept bits: the upper bits of an `f32`.
const fn is_packed(elem: Element) -> bool {
    elem.ty.bytes() < 4
}

/// The elements as `f32`.
#[track_caller]
pub(super) fn widened(elem: Element, x: Value, rows: usize, columns: usize) -> Value {
    let dwords = Type::new(ElemType::U32, rows, columns);
    let bits = if is_packed(elem) {
        let low = recording::value(Op::convert(x, ElemType::U32), dwords);
        with(MapKind::Shl, low, elem.cut.into(), dwords)
    } else {
        with(MapKind::And, x, kept(elem), dwords)
    };
    recording::value(Op::Format(bits), Type::new(ElemType::F32, rows, columns))
}

/// The nearest elements, ties to even; NaN becomes a quiet NaN.
#[track_caller]
pub(super) fn shortened(elem: Element, x: Value, rows: usize, columns: usize) -> Value {
    let dwords = Type::new(ElemType::U32, rows, columns);
    let bits = recording::value(Op::Format(x), dwords);
    let odd = with(MapKind::Shr, bits, elem.cut.into(), dwords);
    let odd = with(MapKind::And, odd, 1, dwords);
    let near = with(MapKind::Add, bits, (1 << (elem.cut - 1)) - 1, dwords);
    let near = both(MapKind::Add, near, odd, dwords);
    let size = with(MapKind::And, bits, 0x7fff_ffff, dwords);
    let infinity = recording::value(Op::Constant(Bits::Splat(0x7f80_0000)), dwords);
    let masks = Type::new(ElemType::U16, rows, columns);
    let nan = recording::value(Op::map(MapKind::Gt, ElemType::U32, &[size, infinity]), masks);
    let quiet = with(MapKind::Or, bits, 0x0040_0000, dwords);
    let all = recording::value(Op::map(MapKind::Merge, ElemType::U32, &[nan, quiet, near]), dwords);
    if is_packed(elem) {
        let high = with(MapKind::Shr, all, elem.cut.into(), dwords);
        recording::value(Op::convert(high, elem.ty), elem.shaped(rows, columns))
    } else {
        with(MapKind::And, all, kept(elem), dwords)
    }
}

/// The kept bits without the sign: 0 where the number is 0.
#[track_caller]
pub(super) fn size(elem: Element, x: Value, rows: usize, columns: usize) -> Value {
    let size = kept(elem) & 0x7fff_ffff;
    let size = if is_packed(elem) { size >> elem.cut } else { size };
    with(MapKind::And, x, size, elem.shaped(rows, columns))
}
