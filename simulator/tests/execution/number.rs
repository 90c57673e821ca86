//! Number types as tables: their bytes, and conversions.

use std::cmp::Ordering;

/// A number in a register. Every 16-bit and 32-bit float is also a 64-bit float.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Float(x) => x,
            Self::Integer(x) => panic!("{x} is no float"),
        }
    }

    pub(crate) fn integer(self) -> i128 {
        match self {
            Self::Integer(x) => x,
            Self::Float(x) => panic!("{x} is no integer"),
        }
    }

    pub(crate) fn is_nan(self) -> bool {
        matches!(self, Self::Float(x) if x.is_nan())
    }

    /// Whether both are the same: zeros must have the same sign, and all NaNs are equal.
    pub(crate) fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Integer(x), Self::Integer(y)) => x == y,
            (Self::Float(x), Self::Float(y)) => x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(),
            _ => false,
        }
    }

    pub(crate) fn compared(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(x), Self::Integer(y)) => Some(x.cmp(&y)),
            _ => self.float().partial_cmp(&other.float()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unsigned,
    Signed,
    Float,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) name: &'static str,
    size: usize,
    kind: Kind,
}

const fn ty(name: &'static str, size: usize, kind: Kind) -> Type {
    Type { name, size, kind }
}

pub(crate) const HF: Type = ty("hf", 2, Kind::Float);
pub(crate) const F: Type = ty("f", 4, Kind::Float);
pub(crate) const DF: Type = ty("df", 8, Kind::Float);
pub(crate) const FLOATS: [Type; 3] = [HF, F, DF];
pub(crate) const INTEGERS: [Type; 8] = [
    ty("ub", 1, Kind::Unsigned),
    ty("b", 1, Kind::Signed),
    ty("uw", 2, Kind::Unsigned),
    ty("w", 2, Kind::Signed),
    ty("ud", 4, Kind::Unsigned),
    ty("d", 4, Kind::Signed),
    ty("uq", 8, Kind::Unsigned),
    ty("q", 8, Kind::Signed),
];

/// All types of Gen9.
pub(crate) fn all() -> impl Iterator<Item = Type> {
    INTEGERS.into_iter().chain(FLOATS)
}

/// The nearest half, ties to even.
fn half(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    // All denormals have the exponent of the smallest normal number.
    let exponent = |x: f64| (((x.to_bits() >> 52) as i32) - 1023).max(-14);
    let step = f64::from(exponent(x) - 10).exp2();
    let rounded = if x.is_finite() { (x / step).round_ties_even() * step } else { x };
    if rounded > 65504.0 {
        return sign | 0x7c00;
    }
    let exponent = exponent(rounded);
    let mantissa = (rounded / f64::from(exponent - 10).exp2()) as u16;
    // The first mantissa bit of a normal number increments the exponent.
    sign | ((((exponent + 14) as u16) << 10) + mantissa)
}

fn of_half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let size = match exponent {
        31 if mantissa > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        0 => mantissa * (-24_f64).exp2(),
        _ => (1024.0 + mantissa) * f64::from(exponent - 25).exp2(),
    };
    if bits >> 15 == 1 { -size } else { size }
}

impl Type {
    pub(crate) fn size(self) -> usize {
        self.size
    }

    pub(crate) fn is_signed(self) -> bool {
        self.kind == Kind::Signed
    }

    /// The bytes of a number of the type.
    pub(crate) fn bytes(self, number: Number) -> Vec<u8> {
        match number {
            Number::Integer(x) => x.to_le_bytes()[..self.size].to_vec(),
            Number::Float(x) => match self.size {
                2 => half(x).to_le_bytes().to_vec(),
                4 => (x as f32).to_le_bytes().to_vec(),
                _ => x.to_le_bytes().to_vec(),
            },
        }
    }

    /// The number with these bytes.
    pub(crate) fn number(self, bytes: &[u8]) -> Number {
        let mut all = [0; 8];
        all[..self.size].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(all);
        match (self.kind, self.size) {
            (Kind::Float, 2) => Number::Float(of_half(bits as u16)),
            (Kind::Float, 4) => Number::Float(f32::from_bits(bits as u32).into()),
            (Kind::Float, _) => Number::Float(f64::from_bits(bits)),
            _ => self.converted(Number::Integer(bits.into())),
        }
    }

    /// The minimum and maximum of an integer type.
    fn range(self) -> (i128, i128) {
        let bits = self.size * 8;
        match self.kind {
            Kind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (0, (1 << bits) - 1),
        }
    }

    /// Converts a number to the type: integers are truncated to their low bits, floats are rounded, and
    /// floats to integers round toward zero and saturate.
    pub(crate) fn converted(self, number: Number) -> Number {
        let (low, high) = self.range();
        match (self.kind, number) {
            (Kind::Float, Number::Integer(x)) if self.size == 4 => Number::Float(f64::from(x as f32)),
            (Kind::Float, Number::Integer(x)) => self.converted(Number::Float(x as f64)),
            (Kind::Float, Number::Float(x)) => Number::Float(match self.size {
                2 => of_half(half(x)),
                4 => (x as f32).into(),
                _ => x,
            }),
            (_, Number::Float(x)) => Number::Integer((x as i128).clamp(low, high)),
            (_, Number::Integer(x)) => {
                let cut = x & ((1 << (self.size * 8)) - 1);
                Number::Integer(if cut > high { cut - (1 << (self.size * 8)) } else { cut })
            }
        }
    }

    /// The same with saturation: floats to 0..1.
    pub(crate) fn saturated(self, number: Number) -> Number {
        let (low, high) = self.range();
        match (self.kind, number) {
            (Kind::Float, _) => {
                let x = self.converted(number).float();
                Number::Float(if x > 0.0 { x.min(1.0) } else { 0.0 })
            }
            (_, Number::Integer(x)) => Number::Integer(x.clamp(low, high)),
            (_, Number::Float(_)) => self.converted(number),
        }
    }

    /// Numbers at the limits of its range and in between.
    pub(crate) fn values(self) -> Vec<Number> {
        if self.kind == Kind::Float {
            let of_all = [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1000.3, -300.7, 65504.0, -3e-8, 6e-5];
            let wide = [3e9, -3e9, 1.9e19, -1e-40, 3e38, 65519.9, 65520.0, -0.75];
            let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
            let all = of_all.iter().chain(&special).chain(if self.size > 2 { &wide[..] } else { &[] });
            return all.map(|x| self.converted(Number::Float(*x))).collect();
        }
        let (low, high) = self.range();
        let all = [0, 1, 2, 100, high, high - 1, low, low + 1, high / 3, low / 3, 0x1234_5678_9abc];
        let mut all: Vec<_> = all.map(|x| self.converted(Number::Integer(x))).into();
        all.push(self.converted(Number::Integer(-1)));
        all
    }
}
