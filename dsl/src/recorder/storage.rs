//! Conversions of `bf16` and `tf32`, whose elements are recorded as their bits, `u16` and `u32`.

use super::recording;
use crate::elem::{Elem, ElemType};
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
const fn kept<T: Elem>() -> u64 {
    (u32::MAX << T::CUT) as u64
}

/// Whether the elements store only the kept bits: the upper bits of an `f32`.
const fn is_packed<T: Elem>() -> bool {
    T::TYPE.bytes() < 4
}

/// The elements as `f32`.
#[track_caller]
pub(super) fn widened<T: Elem>(x: Value, rows: usize, columns: usize) -> Value {
    let dwords = Type::new(ElemType::U32, rows, columns);
    let bits = if is_packed::<T>() {
        let low = recording::value(Op::convert(x, ElemType::U32), dwords);
        with(MapKind::Shl, low, T::CUT.into(), dwords)
    } else {
        with(MapKind::And, x, kept::<T>(), dwords)
    };
    recording::value(Op::Format(bits), Type::new(ElemType::F32, rows, columns))
}

/// The nearest elements, ties to even; NaN becomes a quiet NaN.
#[track_caller]
pub(super) fn shortened<T: Elem>(x: Value, rows: usize, columns: usize) -> Value {
    let dwords = Type::new(ElemType::U32, rows, columns);
    let bits = recording::value(Op::Format(x), dwords);
    let odd = with(MapKind::Shr, bits, T::CUT.into(), dwords);
    let odd = with(MapKind::And, odd, 1, dwords);
    let near = with(MapKind::Add, bits, (1 << (T::CUT - 1)) - 1, dwords);
    let near = both(MapKind::Add, near, odd, dwords);
    let size = with(MapKind::And, bits, 0x7fff_ffff, dwords);
    let infinity = recording::value(Op::Constant(Bits::Splat(0x7f80_0000)), dwords);
    let masks = Type::new(ElemType::U16, rows, columns);
    let nan = recording::value(Op::map(MapKind::Gt, ElemType::U32, &[size, infinity]), masks);
    let quiet = with(MapKind::Or, bits, 0x0040_0000, dwords);
    let all = recording::value(Op::map(MapKind::Merge, ElemType::U32, &[nan, quiet, near]), dwords);
    if is_packed::<T>() {
        let high = with(MapKind::Shr, all, T::CUT.into(), dwords);
        recording::value(Op::convert(high, T::TYPE), Type::new(T::TYPE, rows, columns))
    } else {
        with(MapKind::And, all, kept::<T>(), dwords)
    }
}

/// The kept bits without the sign: 0 where the number is 0.
#[track_caller]
pub(super) fn size<T: Elem>(x: Value, rows: usize, columns: usize) -> Value {
    let size = kept::<T>() & 0x7fff_ffff;
    let size = if is_packed::<T>() { size >> T::CUT } else { size };
    with(MapKind::And, x, size, Type::new(T::TYPE, rows, columns))
}
