//! The meaning of operators and conversions on one element, independent of the CPU backend: integers as `i128`, floats
//! as `f64`, and a rounding to the element type at the end.
//!
//! `f64` has more than twice the bits of `f32` and `f16`, so rounding a sum, product or quotient of these twice is the
//! same as rounding it once.

use super::half;
use crate::elem::ElemType;
use crate::ops::{Accuracy, Computed, GroupKind, MapKind, Operand};

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

/// Truncated towards zero and clamped to the range; NaN is 0.
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
        // Not through `f64`, because that would round twice.
        Number::Int(x) if to == ElemType::F32 => (x as f32).to_bits().into(),
        // Integers that `f64` rounds are infinite as `f16`.
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

/// An operand by its rule, in an operation that is computed in `to`. An operand that becomes the result is clamped if
/// the result is.
#[must_use]
pub fn operand(rule: Operand, saturates: bool, from: ElemType, to: ElemType, bits: u64) -> u64 {
    match rule {
        Operand::Own | Operand::Mask => bits,
        Operand::Source if saturates => saturate(from, to, bits),
        Operand::Source | Operand::Common => convert(from, to, bits),
    }
}

/// One result of an operation, from an element or a group of each operand, prepared by [`operand`].
#[must_use]
pub fn computed(kind: Computed, elem: ElemType, operands: [&[u64]; 3]) -> u64 {
    match kind {
        Computed::Map(kind, _) => {
            map(kind, elem, operands.map(|elements| elements.first().copied().unwrap_or(0)))
        }
        Computed::Group(kind) => group(kind, elem, operands[0], operands[1]),
    }
}

/// An element-wise operation on elements of the type in which it is computed; operands that the kind lacks are ignored.
/// Of a mask the lowest bit counts.
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
        // Also for NaN.
        MapKind::Neg if elem.is_float() => a ^ (mask(elem) / 2 + 1),
        MapKind::Abs if elem.is_float() => a & (mask(elem) / 2),
        MapKind::Min | MapKind::Max if elem.is_float() => {
            let (Number::Float(x), Number::Float(y)) = (number(elem, a), number(elem, b)) else { return 0 };
            let other = x.is_nan() || if kind == MapKind::Min { y < x } else { y > x };
            if other { b } else { a }
        }
        MapKind::BfExtract => match [a, b, c].map(|bits| number(elem, bits)) {
            [Number::Int(x), Number::Int(y), Number::Int(z)] => wrapped(elem, field(elem, x, y, z)),
            // Not verified.
            _ => 0,
        },
        MapKind::Fma => match [a, b, c].map(|bits| number(elem, bits)) {
            [Number::Float(x), Number::Float(y), Number::Float(z)] => rounded(elem, fused(x, y, z)),
            // Not verified.
            _ => 0,
        },
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
        K::Exp => rounded(elem, x.exp2()),
        K::Log => rounded(elem, x.log2()),
        K::Inv => rounded(elem, 1.0 / x),
        K::Sqrt | K::SqrtIeee => rounded(elem, x.sqrt()),
        K::Rsqrt => rounded(elem, 1.0 / x.sqrt()),
        K::Sin => rounded(elem, x.sin()),
        K::Cos => rounded(elem, x.cos()),
        K::Pow => rounded(elem, if y == 0.0 || x.abs() == 1.0 { 1.0 } else { x.abs().powf(y) }),
        K::Rndd => rounded(elem, x.floor()),
        K::Rndu => rounded(elem, x.ceil()),
        K::Rnde => rounded(elem, x.round_ties_even()),
        K::Rndz => rounded(elem, x.trunc()),
        K::Lzd | K::Cbit | K::Fbl | K::Fbh | K::BfReverse | K::BfExtract | K::Rol | K::Ror => 0,
        K::DotUu | K::DotUs | K::DotSu | K::DotSs => 0,
        // Above, or not verified.
        K::Fma | K::Convert | K::Merge | K::Neg | K::Abs | K::Min | K::Max => 0,
        K::Not | K::Rem | K::And | K::Or | K::Xor | K::Shl | K::Shr | K::ShlSat | K::Avg => 0,
    }
}

/// `x * y + z` of numbers whose product has no more than 53 bits, rounded to odd: to the nearest number towards zero, with
/// the lowest bit set if that is not exact. So it can be rounded again, to fewer bits.
fn fused(x: f64, y: f64, z: f64) -> f64 {
    let product = x * y;
    let (large, small) = if product.abs() < z.abs() { (z, product) } else { (product, z) };
    let sum = large + small;
    let rest = small - (sum - large);
    if !rest.is_finite() || rest == 0.0 {
        return sum;
    }
    let down = (rest < 0.0) != (sum < 0.0);
    let towards_zero = if down { sum.to_bits() - 1 } else { sum.to_bits() };
    f64::from_bits(towards_zero | 1)
}

/// Bits rotated left.
fn rotated(elem: ElemType, x: i128, places: u32) -> i128 {
    let bits = elem.bytes() as u32 * 8;
    let x = x & ((1 << bits) - 1);
    x << places | x >> (bits - places)
}

/// The operations on the bits of a dword.
fn bits(kind: MapKind, elem: ElemType, x: i128) -> i128 {
    let set = |place: i128| x >> place & 1 == 1;
    let sign = elem.is_signed() && x < 0;
    let found = |place: Option<i128>| place.unwrap_or(-1);
    match kind {
        MapKind::Cbit => (0..32).filter(|place| set(*place)).count() as i128,
        MapKind::Fbl => found((0..32).find(|place| set(*place))),
        MapKind::Lzd => (0..32).find(|place| set(31 - place)).unwrap_or(32),
        MapKind::Fbh => found((0..32).find(|place| set(31 - place) != sign)),
        _ => (0..32).filter(|place| set(*place)).map(|place| 1 << (31 - place)).sum(),
    }
}

/// The sum of the products of the bytes of dwords.
fn dot(kind: MapKind, x: i128, y: i128) -> i128 {
    let signed = match kind {
        MapKind::DotSs => [true, true],
        MapKind::DotSu => [true, false],
        MapKind::DotUs => [false, true],
        _ => [false, false],
    };
    let byte = |x: i128, k: u32, signed: bool| {
        let byte = x >> (8 * k) & 0xff;
        if signed && byte > 127 { byte - 256 } else { byte }
    };
    (0..4).map(|k| byte(x, k, signed[0]) * byte(y, k, signed[1])).sum()
}

/// A field of the bits of a dword.
fn field(elem: ElemType, x: i128, offset: i128, width: i128) -> i128 {
    let (offset, width) = (offset & 31, width & 31);
    // Beyond the highest bit are zeros.
    let field = (x & 0xffff_ffff) >> offset & ((1 << width) - 1);
    // The highest bit of the field, or of the dword if the field ends there.
    let top = width.min(32 - offset);
    let negative = elem.is_signed() && top > 0 && field >> (top - 1) & 1 == 1;
    if negative { field - (1 << top) } else { field }
}

/// The result of an operation on integers before wrapping.
fn integer(kind: MapKind, elem: ElemType, x: i128, y: i128) -> i128 {
    use MapKind as K;
    // The low bits of counts are used.
    let places = (y as u64 & (elem.bytes() as u64 * 8 - 1)) as u32;
    let (low, high) = range(elem);
    match kind {
        K::Neg => -x,
        K::Not => !x,
        K::Add => x + y,
        K::Sub => x - y,
        // For two 64-bit numbers only the low half matters.
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
        K::Lzd | K::Cbit | K::Fbl | K::Fbh | K::BfReverse => bits(kind, elem, x),
        K::DotUu | K::DotUs | K::DotSu | K::DotSs => dot(kind, x, y),
        K::Rol => rotated(elem, x, places),
        K::Ror => rotated(elem, x, elem.bytes() as u32 * 8 - places),
        // Above, or not verified.
        K::Convert | K::Merge | K::BfExtract | K::Fma => 0,
        K::Exp | K::Log | K::Inv | K::Sqrt | K::Rsqrt | K::Sin | K::Cos | K::SqrtIeee | K::Pow => 0,
        K::Rndd | K::Rndu | K::Rnde | K::Rndz => 0,
    }
}

/// An operation on one group of elements of each operand, in the type in which it is computed.
#[must_use]
pub fn group(kind: GroupKind, elem: ElemType, a: &[u64], b: &[u64]) -> u64 {
    // With fewer elements than the kind has, the function was not verified.
    if a.len() < kind.width() || b.len() < kind.width() {
        return 0;
    }
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
        GroupKind::Dp2 | GroupKind::Dp3 | GroupKind::Dph => {
            let product = |k: usize| map(MapKind::Mul, elem, [a[k], b[k], 0]);
            let add = |x, y| map(MapKind::Add, elem, [x, y, 0]);
            let two = add(product(0), product(1));
            match kind {
                GroupKind::Dp2 => two,
                GroupKind::Dp3 => add(two, product(2)),
                _ => add(two, add(product(2), b[3])),
            }
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

/// Whether the accuracy allows this result for the exact result, rounded to its type.
#[must_use]
pub fn allowed(accuracy: Accuracy, elem: ElemType, found: u64, exact: u64) -> bool {
    let (Accuracy::Within { ulps, absolute }, Number::Float(x), Number::Float(y)) =
        (accuracy, number(elem, found), number(elem, exact))
    else {
        return found == exact;
    };
    // Next to each other as integers, zeros of both signs in the middle.
    let place = |bits: u64| {
        let size = i128::from(bits & (mask(elem) / 2));
        if bits > mask(elem) / 2 { -size } else { size }
    };
    let units = (place(found) - place(exact)).abs();
    x.is_nan() && y.is_nan()
        || !x.is_nan() && !y.is_nan() && (units <= i128::from(ulps) || (x - y).abs() <= absolute)
}

/// Whether an element is not zero; NaN is not.
#[must_use]
pub fn is_true(elem: ElemType, bits: u64) -> bool {
    match number(elem, bits) {
        Number::Int(x) => x != 0,
        Number::Float(x) => x != 0.0,
    }
}
