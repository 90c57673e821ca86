//! The language by its description: promotion, conversion and operators on single numbers.

use std::fmt;

use cm::dsl::elem::ElemType;
use cm::dsl::elem::ElemType::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// A number of any element type. Every 16-bit and 32-bit float is also a 64-bit float.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Int(i128),
    Float(f64),
}

use Value::{Float, Int};

impl Value {
    /// Whether both are the same number. There is one NaN, and zeros have a sign.
    pub(crate) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Int(a), Int(b)) => a == b,
            (Float(a), Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int(x) => x.fmt(f),
            Float(x) => write!(f, "{x:?}"),
        }
    }
}

/// A binary operator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// The promotion table: bytes and words become `int`, then C's usual arithmetic conversions apply; `half`
/// stays `half` with integers.
#[rustfmt::skip]
const PROMOTION: [&str; ElemType::ALL.len()] = [
    //         u8  i8  u16 i16 u32 i32 u64 i64 f16 f32 f64
    /* u8  */ "i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64",
    /* i8  */ "i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64",
    /* u16 */ "i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64",
    /* i16 */ "i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64",
    /* u32 */ "u32 u32 u32 u32 u32 u32 u64 i64 f16 f32 f64",
    /* i32 */ "i32 i32 i32 i32 u32 i32 u64 i64 f16 f32 f64",
    /* u64 */ "u64 u64 u64 u64 u64 u64 u64 u64 f16 f32 f64",
    /* i64 */ "i64 i64 i64 i64 i64 i64 u64 i64 f16 f32 f64",
    /* f16 */ "f16 f16 f16 f16 f16 f16 f16 f16 f16 f32 f64",
    /* f32 */ "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 f64",
    /* f64 */ "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 f64",
];

fn index(ty: ElemType) -> usize {
    ElemType::ALL.iter().position(|&other| other == ty).expect("a type of the table")
}

/// The common type of two operands.
pub(crate) fn promoted(a: ElemType, b: ElemType) -> ElemType {
    let name = PROMOTION[index(a)].split(' ').nth(index(b)).expect("a column for each type");
    *ElemType::ALL.iter().find(|ty| ty.name() == name).expect("a type of the table")
}

/// The promoted type of a single operand: bytes and words become `int`.
pub(crate) fn widened(ty: ElemType) -> ElemType {
    if matches!(ty, U8 | I8 | U16 | I16) { I32 } else { ty }
}

/// The type of the result.
pub(crate) fn result(op: Op, a: ElemType, b: ElemType) -> ElemType {
    match op {
        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => U16,
        Op::Shl | Op::Shr => widened(a),
        _ => promoted(a, b),
    }
}

/// Bits and signedness of an integer type.
fn integer(ty: ElemType) -> Option<(u32, bool)> {
    match ty {
        U8 => Some((8, false)),
        I8 => Some((8, true)),
        U16 => Some((16, false)),
        I16 => Some((16, true)),
        U32 => Some((32, false)),
        I32 => Some((32, true)),
        U64 => Some((64, false)),
        I64 => Some((64, true)),
        _ => None,
    }
}

/// The smallest and the largest number of an integer type.
fn limits((bits, signed): (u32, bool)) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The low bits of a number, as a number of the type.
fn wrap(x: i128, (bits, signed): (u32, bool)) -> i128 {
    let low = x & ((1 << bits) - 1);
    if signed && low >> (bits - 1) == 1 { low - (1 << bits) } else { low }
}

/// The nearest float of the type, ties to the even one.
pub(crate) fn round(x: f64, ty: ElemType) -> f64 {
    match ty {
        F64 => x,
        F32 => f64::from(x as f32),
        _ => round_to_half(x),
    }
}

/// 11 bits from 2^-14 on, multiples of 2^-24 below; infinity from 65520 on.
fn round_to_half(x: f64) -> f64 {
    if x.is_nan() || x.is_infinite() {
        return x;
    }
    if x.abs() >= 65520.0 {
        return f64::INFINITY.copysign(x);
    }
    let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
    // Scaling by a power of two is exact.
    let unit = 2f64.powi(exponent - 10);
    (x / unit).round_ties_even() * unit
}

/// Assignment: integers wrap, floats truncate and stay in range, NaN becomes 0, floats round to even.
pub(crate) fn convert(x: Value, to: ElemType) -> Value {
    match (x, integer(to)) {
        (Int(x), Some(integer)) => Int(wrap(x, integer)),
        (Float(x), Some(_)) if x.is_nan() => Int(0),
        (Float(x), Some(integer)) => {
            let (low, high) = limits(integer);
            Int((x.trunc() as i128).clamp(low, high))
        }
        // The integer is rounded once, not twice through `f64`.
        (Int(x), None) if to == F32 => Float(f64::from(x as f32)),
        // From 2^53 on, where `f64` rounds, `half` is infinite.
        (Int(x), None) => Float(round(x as f64, to)),
        (Float(x), None) => Float(round(x, to)),
    }
}

/// `SAT`: integers are limited to the range of the type, floats to 0..=1; NaN becomes 0.
pub(crate) fn saturate(x: Value, to: ElemType) -> Value {
    match (x, integer(to)) {
        (Int(x), Some(integer)) => {
            let (low, high) = limits(integer);
            Int(x.clamp(low, high))
        }
        (Float(_), Some(_)) => convert(x, to),
        (_, None) => match convert(x, to) {
            Float(x) if x >= 1.0 => Float(1.0),
            Float(x) if x > 0.0 => Float(x),
            _ => Float(0.0),
        },
    }
}

/// `a op b`: both sides are converted to the common type, and the operator of that type is applied.
pub(crate) fn binary(op: Op, (a_ty, a): (ElemType, Value), (b_ty, b): (ElemType, Value)) -> Value {
    let ty = if matches!(op, Op::Shl | Op::Shr) { widened(a_ty) } else { promoted(a_ty, b_ty) };
    match (convert(a, ty), convert(b, ty)) {
        (Int(a), Int(b)) => integers(op, integer(ty).expect("integers"), a, b),
        (Float(a), Float(b)) => floats(op, ty, a, b),
        _ => unreachable!("one type"),
    }
}

fn integers(op: Op, ty: (u32, bool), a: i128, b: i128) -> Value {
    let (bits, _) = ty;
    // The hardware uses only the low bits of a shift count.
    let count = b & i128::from(bits - 1);
    let exact = match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a.wrapping_mul(b),
        Op::Div if b == 0 => -1,
        Op::Div => a / b,
        Op::Rem if b == 0 => a,
        Op::Rem => a % b,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => a << count,
        Op::Shr => a >> count,
        Op::Lt => (a < b).into(),
        Op::Le => (a <= b).into(),
        Op::Gt => (a > b).into(),
        Op::Ge => (a >= b).into(),
        Op::Eq => (a == b).into(),
        Op::Ne => (a != b).into(),
    };
    Int(wrap(exact, ty))
}

fn floats(op: Op, ty: ElemType, a: f64, b: f64) -> Value {
    // Rounding the `f64` result again to 24 or 11 bits gives the rounding of the exact result, because 53
    // bits are at least twice as many plus two.
    match op {
        Op::Add => Float(round(a + b, ty)),
        Op::Sub => Float(round(a - b, ty)),
        Op::Mul => Float(round(a * b, ty)),
        Op::Div => Float(round(a / b, ty)),
        Op::Lt => Int((a < b).into()),
        Op::Le => Int((a <= b).into()),
        Op::Gt => Int((a > b).into()),
        Op::Ge => Int((a >= b).into()),
        Op::Eq => Int((a == b).into()),
        Op::Ne => Int((a != b).into()),
        Op::Rem | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr => unreachable!("an operator of integers"),
    }
}

/// `-x` of a promoted operand.
pub(crate) fn negate(ty: ElemType, x: Value) -> Value {
    match convert(x, widened(ty)) {
        Int(x) => convert(Int(-x), widened(ty)),
        Float(x) => Float(-x),
    }
}

/// CM's `~x` of a promoted operand.
pub(crate) fn complement(ty: ElemType, x: Value) -> Value {
    match convert(x, widened(ty)) {
        Int(x) => convert(Int(-1 - x), widened(ty)),
        Float(_) => unreachable!("an operator of integers"),
    }
}

#[test]
fn half_rounds_once_and_to_even() {
    for (x, expected) in [
        (1.0 + 2f64.powi(-11), 1.0),
        (1.0 + 2f64.powi(-11) + 2f64.powi(-52), 1.0 + 2f64.powi(-10)),
        (1.0 + 3.0 * 2f64.powi(-11), 1.0 + 2f64.powi(-9)),
        (65519.99, 65504.0),
        (65520.0, f64::INFINITY),
        (2f64.powi(-25), 0.0),
        (-2f64.powi(-24) * 1.5, -2f64.powi(-23)),
        (2f64.powi(-14) - 2f64.powi(-30), 2f64.powi(-14)),
    ] {
        assert!(Float(round_to_half(x)).is(Float(expected)), "{x:?} gave {:?}", round_to_half(x));
    }
}
