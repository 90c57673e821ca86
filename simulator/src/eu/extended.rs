//! The numbers of math macros. They have more digits than a double, so that a chain of `madm` is correctly
//! rounded at its end.

/// A number `mantissa * 2^exponent`, where the highest bit of the mantissa is set unless the number is zero;
/// or a special value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extended {
    Finite {
        negative: bool,
        mantissa: u128,
        exponent: i32,
    },
    /// An infinity, a NaN, or a zero with its sign.
    Special(f64),
}

/// The number of mantissa bits that a macro register keeps.
const KEPT: u32 = 64;
/// The number of mantissa bits of intermediate results.
const BETWEEN: u32 = 113;

impl Extended {
    /// A double.
    pub(crate) fn of(value: f64) -> Self {
        let (bits, negative) = (value.to_bits(), value.is_sign_negative());
        let exponent = (bits >> 52 & 2047) as i32;
        let mantissa = u128::from(bits & ((1 << 52) - 1));
        match (exponent, mantissa) {
            (2047, _) | (0, 0) => Self::Special(value),
            (0, _) => Self::normal(negative, mantissa, -1074),
            _ => Self::normal(negative, mantissa | 1 << 52, exponent - 1075),
        }
    }

    fn normal(negative: bool, mantissa: u128, exponent: i32) -> Self {
        if mantissa == 0 {
            return Self::Special(if negative { -0.0 } else { 0.0 });
        }
        let shift = mantissa.leading_zeros();
        Self::Finite { negative, mantissa: mantissa << shift, exponent: exponent - shift.cast_signed() }
    }

    /// Rounded to nearest, to `bits` bits. `sticky` means that more bits follow.
    fn rounded(self, bits: u32, sticky: bool) -> Self {
        let Self::Finite { negative, mantissa, exponent } = self else { return self };
        let drop = 128 - bits;
        let (rest, half) = (mantissa & ((1 << drop) - 1), 1_u128 << (drop - 1));
        let kept = mantissa >> drop;
        let up = rest > half || rest == half && (sticky || kept & 1 == 1);
        Self::normal(negative, kept + u128::from(up), exponent + drop.cast_signed())
    }

    /// The value that a macro register keeps.
    pub(crate) fn kept(self) -> Self {
        self.rounded(KEPT, false)
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Finite { negative, mantissa, exponent } => {
                Self::Finite { negative: !negative, mantissa, exponent }
            }
            Self::Special(value) => Self::Special(-value),
        }
    }

    /// The nearest double, with one rounding.
    pub(crate) fn to_f64(self) -> f64 {
        let (negative, mantissa, exponent) = match self {
            Self::Finite { negative, mantissa, exponent } => (negative, mantissa, exponent),
            Self::Special(value) => return value,
        };
        // The exponent of the highest bit.
        let high = exponent + 127;
        let drop = if high < -1022 { 75 + (-1022 - high).cast_unsigned() } else { 75 };
        let magnitude = if drop > 128 {
            0
        } else {
            let half = 1_u128 << (drop - 1);
            let (kept, rest) =
                if drop == 128 { (0, mantissa) } else { (mantissa >> drop, mantissa & ((1 << drop) - 1)) };
            let rounded = kept + u128::from(rest > half || rest == half && kept & 1 == 1);
            let biased = if high < -1022 { 0 } else { high + 1022 };
            if biased >= 2046 {
                0x7ff << 52
            } else {
                // A carry out of the mantissa increments the exponent.
                let rounded = rounded as u64;
                (u64::from(biased.cast_unsigned()) << 52) + rounded
            }
        };
        f64::from_bits(magnitude | u64::from(negative) << 63)
    }

    /// The nearest float, with one rounding unless it is denormal.
    pub(crate) fn to_f32(self) -> f32 {
        self.rounded(24, false).to_f64() as f32
    }

    /// `self * other + plus`. Each step is rounded to 113 bits.
    pub(crate) fn multiply_add(self, other: Self, plus: Self) -> Self {
        self.times(other).plus(plus)
    }

    fn times(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Finite { negative: a, mantissa: x, exponent: e },
                Self::Finite { negative: b, mantissa: y, exponent: f },
            ) => {
                // Both have at most 64 bits, because registers keep no more.
                Self::normal(a != b, (x >> 64) * (y >> 64), e + f + 128).rounded(BETWEEN, false)
            }
            _ => Self::Special(self.to_f64_sign() * other.to_f64_sign()),
        }
    }

    fn plus(self, other: Self) -> Self {
        let (a, b) = match (self, other) {
            (Self::Special(x), Self::Special(y)) => return Self::Special(x + y),
            (Self::Special(x), number) | (number, Self::Special(x)) => {
                return if x == 0.0 { number } else { Self::Special(x) };
            }
            numbers => numbers,
        };
        let (larger, smaller) = if a.magnitude() >= b.magnitude() { (a, b) } else { (b, a) };
        let (
            Self::Finite { negative, mantissa: x, exponent: e },
            Self::Finite { negative: other, mantissa: y, exponent: f },
        ) = (larger, smaller)
        else {
            return larger;
        };
        // One bit is for a carry. Numbers have 113 bits, so 14 bits remain for the shift of the smaller
        // number.
        let (x, distance) = (x >> 1, (e - f).cast_unsigned() + 1);
        let y = if distance < 128 {
            let lost = y & ((1 << distance) - 1);
            y >> distance | u128::from(lost != 0)
        } else {
            1
        };
        if negative == other {
            Self::normal(negative, x + y, e + 1).rounded(BETWEEN, false)
        } else if x == y {
            Self::Special(0.0)
        } else {
            Self::normal(negative, x - y, e + 1).rounded(BETWEEN, false)
        }
    }

    fn magnitude(self) -> (i32, u128) {
        match self {
            Self::Finite { mantissa, exponent, .. } => (exponent, mantissa),
            Self::Special(_) => (i32::MIN, 0),
        }
    }

    /// A number with the sign and the kind of this one.
    fn to_f64_sign(self) -> f64 {
        match self {
            Self::Finite { negative, .. } => {
                if negative {
                    -1.0
                } else {
                    1.0
                }
            }
            Self::Special(value) => value,
        }
    }

    /// The reciprocal, as a register keeps it.
    pub(crate) fn reciprocal(self) -> Self {
        let Self::Finite { negative, mantissa, exponent } = self else {
            return Self::Special(1.0 / self.to_f64_sign());
        };
        // The mantissa is in 2^127..2^128 with at most 64 bits: 2^128 / (mantissa >> 64) has 65 or 64 bits.
        let divisor = mantissa >> 64;
        let (quotient, rest) = (u128::MAX / divisor, u128::MAX % divisor);
        // The dividend was 2^128 - 1.
        let (quotient, rest) = if rest + 1 == divisor { (quotient + 1, 0) } else { (quotient, rest + 1) };
        let number =
            Self::normal(negative, quotient << 32 | u128::from(rest != 0), -128 - 64 - exponent - 32);
        number.kept()
    }

    /// The reciprocal of the square root, as a register keeps it. The number must be positive.
    pub(crate) fn reciprocal_root(self) -> Self {
        self.root().kept().reciprocal()
    }

    fn root(self) -> Self {
        let Self::Finite { mantissa, exponent, .. } = self else { return self };
        // Half of the exponent must be an integer. The root of 126 or 127 bits has 63 or 64 bits.
        let (mantissa, exponent) =
            if exponent & 1 == 0 { (mantissa >> 2, exponent + 2) } else { (mantissa >> 1, exponent + 1) };
        let root = mantissa.isqrt();
        let sticky = root * root != mantissa;
        // These are not enough for rounding to 64 bits; the difference of squares gives more.
        let more = ((mantissa - root * root) << 32).checked_div(root << 1).unwrap_or(0);
        Self::normal(false, root << 33 | more << 1 | u128::from(sticky), exponent / 2 - 33)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_pass_unchanged() {
        for value in [1.0, -2.5, 5e-324, f64::MIN_POSITIVE, f64::MAX, 0.0, -0.0, f64::INFINITY, 1e-310] {
            assert_eq!(Extended::of(value).to_f64().to_bits(), value.to_bits());
            assert_eq!(Extended::of(value).kept().to_f64().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn arithmetic_is_that_of_doubles() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // With exponents around one.
            f64::from_bits(state >> 12 | (1000 + (state >> 5) % 46) << 52 | (state & 1) << 63)
        };
        for _ in 0..100_000 {
            let (a, b, c) = (next(), next(), next());
            let [x, y, z] = [a, b, c].map(Extended::of);
            assert_eq!(x.multiply_add(y, Extended::of(0.0)).to_f64(), a * b);
            assert_eq!(x.multiply_add(Extended::of(1.0), z).to_f64(), a + c);
            let (is, near) = (y.reciprocal().to_f64(), 1.0 / b);
            // It was rounded to 64 bits before.
            assert!((is - near).abs() <= near.abs() * f64::EPSILON, "1 / {b:e}");
            let root = Extended::of(a.abs()).reciprocal_root().to_f64();
            let near = 1.0 / a.abs().sqrt();
            assert!((root - near).abs() <= near * 3e-16, "{a:e}: {root:e} {near:e}");
        }
    }
}
