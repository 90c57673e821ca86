//! What operators and conversions mean on one element, written without `elem`: integers as `i128`, floats as
//! `f64`, and a rounding to the element type at the end.
//!
//! `f64` has more than twice the bits of `f32` and `f16`, so that rounding a sum, product or quotient of
//! these twice is rounding it once.

use super::half;
use crate::elem::ElemType;
use crate::ops::{Computed, GroupKind, MapKind, Operand};

/// An element as a number.
#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i128),
    Float(f64),
}

/// All bits of an element.
#[must_use]
pub const fn mask(elem: ElemType) -> u64 {
    u64::MAX >> (64 - elem.bytes() * 8)
}

/// The smallest and the largest integer.
fn range(elem: ElemType) -> (i128, i128) {
    elem.range().unwrap_or_default()
}

fn number(elem: ElemType, bits: u64) -> Number {
    match elem {
        ElemType::F16 => Number::Float(half::to_f64(bits as u16)),
        ElemType::F32 => Number::Float(f32::from_bits(bits as u32).into()),
        ElemType::F64 => Number::Float(f64::from_bits(bits)),
        _ => {
            let (low, high) = range(elem);
            let x = i128::from(bits);
            Number::Int(if x > high { x - (high - low + 1) } else { x })
        }
    }
}

/// An integer, wrapped.
fn wrapped(elem: ElemType, x: i128) -> u64 {
    x as u64 & mask(elem)
}

/// A float, rounded.
fn rounded(elem: ElemType, x: f64) -> u64 {
    match elem {
        ElemType::F16 => half::from_f64(x).into(),
        ElemType::F32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    }
}

/// Towards zero, limited to the range; NaN is 0.
fn truncated(elem: ElemType, x: f64) -> i128 {
    let (low, high) = range(elem);
    // Beyond these there are no integers of 64 bits, and `as` is exact up to them.
    let limit = 2f64.powi(65);
    let x = if x.is_nan() { 0 } else { x.trunc().clamp(-limit, limit) as i128 };
    x.clamp(low, high)
}

/// Rust's `as`.
#[must_use]
pub fn convert(from: ElemType, to: ElemType, bits: u64) -> u64 {
    if from == to {
        return bits;
    }
    match number(from, bits) {
        // Not through `f64`, which would round twice.
        Number::Int(x) if to == ElemType::F32 => (x as f32).to_bits().into(),
        // What `f64` rounds is infinite as `f16`.
        Number::Int(x) if to.is_float() => rounded(to, x as f64),
        Number::Int(x) => wrapped(to, x),
        Number::Float(x) if to.is_float() => rounded(to, x),
        Number::Float(x) => wrapped(to, truncated(to, x)),
    }
}

/// CM's `SAT`.
#[must_use]
pub fn saturate(from: ElemType, to: ElemType, bits: u64) -> u64 {
    if to.is_float() {
        let converted = convert(from, to, bits);
        return match number(to, converted) {
            Number::Float(x) if x >= 1.0 => rounded(to, 1.0),
            // NaN and -0.0 are neither, and give 0.
            Number::Float(x) if x > 0.0 => converted,
            _ => 0,
        };
    }
    match number(from, bits) {
        Number::Int(x) => {
            let (low, high) = range(to);
            wrapped(to, x.clamp(low, high))
        }
        Number::Float(x) => wrapped(to, truncated(to, x)),
    }
}

/// An operand by its rule, in an operation that is computed in `to`. What becomes the result is limited where
/// that is.
#[must_use]
pub fn operand(rule: Operand, saturates: bool, from: ElemType, to: ElemType, bits: u64) -> u64 {
    match rule {
        Operand::Own | Operand::Mask => bits,
        Operand::Source if saturates => saturate(from, to, bits),
        Operand::Source | Operand::Common => convert(from, to, bits),
    }
}

/// One result of an operation: of an element of each operand, or of a group of each, by [`operand`].
#[must_use]
pub fn computed(kind: Computed, elem: ElemType, operands: [&[u64]; 3]) -> u64 {
    match kind {
        Computed::Map(kind, _) => {
            map(kind, elem, operands.map(|elements| elements.first().copied().unwrap_or(0)))
        }
        Computed::Group(kind) => group(kind, elem, operands[0], operands[1]),
    }
}

/// An element-wise operation on elements of the type in which it is computed; what the kind does not have is
/// not looked at. Of a mask the lowest bit counts.
#[must_use]
pub fn map(kind: MapKind, elem: ElemType, operands: [u64; 3]) -> u64 {
    let [a, b, c] = operands;
    match kind {
        MapKind::Convert => a,
        MapKind::Merge => {
            if a & 1 == 1 {
                b
            } else {
                c
            }
        }
        // Of a NaN too.
        MapKind::Neg if elem.is_float() => a ^ (mask(elem) / 2 + 1),
        MapKind::Abs if elem.is_float() => a & (mask(elem) / 2),
        MapKind::Min | MapKind::Max if elem.is_float() => {
            let (Number::Float(x), Number::Float(y)) = (number(elem, a), number(elem, b)) else { return 0 };
            let other = x.is_nan() || if kind == MapKind::Min { y < x } else { y > x };
            if other { b } else { a }
        }
        kind => match (number(elem, a), number(elem, b)) {
            (Number::Float(x), Number::Float(y)) => float(kind, elem, x, y),
            (Number::Int(x), Number::Int(y)) => wrapped(kind.outcome().elem(elem), integer(kind, elem, x, y)),
            // Both have the same element type.
            _ => 0,
        },
    }
}

fn float(kind: MapKind, elem: ElemType, x: f64, y: f64) -> u64 {
    use MapKind as K;
    match kind {
        K::Add => rounded(elem, x + y),
        K::Sub => rounded(elem, x - y),
        K::Mul => rounded(elem, x * y),
        K::Div => rounded(elem, x / y),
        K::AddSat => saturate(elem, elem, rounded(elem, x + y)),
        K::SubSat => saturate(elem, elem, rounded(elem, x - y)),
        K::Lt => (x < y).into(),
        K::Le => (x <= y).into(),
        K::Gt => (x > y).into(),
        K::Ge => (x >= y).into(),
        K::Eq => (x == y).into(),
        K::Ne => (x != y).into(),
        // Above, or not verified.
        K::Convert | K::Merge | K::Neg | K::Abs | K::Min | K::Max => 0,
        K::Not | K::Rem | K::And | K::Or | K::Xor | K::Shl | K::Shr | K::ShlSat | K::Avg => 0,
    }
}

/// What an operation of integers gives, before it is wrapped.
fn integer(kind: MapKind, elem: ElemType, x: i128, y: i128) -> i128 {
    use MapKind as K;
    // Counts are taken by their low bits.
    let places = (y as u64 & (elem.bytes() as u64 * 8 - 1)) as u32;
    let (low, high) = range(elem);
    match kind {
        K::Neg => -x,
        K::Not => !x,
        K::Add => x + y,
        K::Sub => x - y,
        // Of two numbers of 64 bits only the low half matters.
        K::Mul => x.wrapping_mul(y),
        K::Div if y == 0 => -1,
        K::Div => x / y,
        K::Rem if y == 0 => x,
        K::Rem => x % y,
        K::And => x & y,
        K::Or => x | y,
        K::Xor => x ^ y,
        K::Shl => x << places,
        K::Shr => x >> places,
        K::Abs => x.abs(),
        K::AddSat => (x + y).clamp(low, high),
        K::SubSat => (x - y).clamp(low, high),
        // At most 64 bits, moved by 63 places.
        K::ShlSat => (x << places).clamp(low, high),
        K::Min => x.min(y),
        K::Max => x.max(y),
        K::Avg => (x + y + 1) >> 1,
        K::Lt => (x < y).into(),
        K::Le => (x <= y).into(),
        K::Gt => (x > y).into(),
        K::Ge => (x >= y).into(),
        K::Eq => (x == y).into(),
        K::Ne => (x != y).into(),
        // Above.
        K::Convert | K::Merge => 0,
    }
}

/// An operation on a group of elements of the type in which it is computed: those of both operands.
#[must_use]
pub fn group(kind: GroupKind, elem: ElemType, a: &[u64], b: &[u64]) -> u64 {
    let pairs = || a.iter().zip(b).map(|(a, b)| (number(elem, *a), number(elem, *b)));
    match kind {
        GroupKind::Sad2 => {
            let distances = pairs().map(|pair| match pair {
                (Number::Int(x), Number::Int(y)) => (x - y).abs(),
                // Not verified.
                _ => 0,
            });
            wrapped(elem, distances.sum())
        }
        GroupKind::Dp4 if elem.is_float() => {
            // The order decides the rounding, so it is fixed: neighbours first, then their sums.
            let products: Vec<u64> =
                a.iter().zip(b).map(|(a, b)| map(MapKind::Mul, elem, [*a, *b, 0])).collect();
            let add = |x, y| map(MapKind::Add, elem, [x, y, 0]);
            let sums: Vec<u64> =
                products.chunks(2).filter_map(|pair| pair.iter().copied().reduce(add)).collect();
            sums.into_iter().reduce(add).unwrap_or_default()
        }
        GroupKind::Dp4 => {
            let products = pairs().map(|pair| match pair {
                // Only the low half matters.
                (Number::Int(x), Number::Int(y)) => x.wrapping_mul(y),
                _ => 0,
            });
            wrapped(elem, products.fold(0, i128::wrapping_add))
        }
    }
}

/// Whether an element is not zero; NaN is not.
#[must_use]
pub fn is_true(elem: ElemType, bits: u64) -> bool {
    match number(elem, bits) {
        Number::Int(x) => x != 0,
        Number::Float(x) => x != 0.0,
    }
}
