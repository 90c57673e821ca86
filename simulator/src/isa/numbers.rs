//! Formats of floats: conversions, rounding, denormals.

/// The rounding modes of `cr0`, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Up,
    Down,
    Zero,
}

/// The float mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    pub(crate) rounding: Rounding,
    /// The types whose denormals are kept; others are flushed to zeros of their sign.
    pub(crate) half: bool,
    pub(crate) float: bool,
    pub(crate) double: bool,
}

impl Mode {
    /// The mode in `cr0.0`.
    pub(crate) fn of(control: u32) -> Self {
        let rounding = match control >> 4 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        };
        let bit = |n: u32| control >> n & 1 != 0;
        Self { rounding, half: bit(10), float: bit(7), double: bit(6) }
    }
}

/// Converts a half to a float exactly.
pub(crate) fn half_to_f32(half: u16) -> f32 {
    let (sign, exponent, mantissa) =
        (u32::from(half & 0x8000) << 16, u32::from(half >> 10 & 31), u32::from(half & 1023));
    let bits = match exponent {
        31 if mantissa == 0 => 0x7f80_0000,
        // Conversions make NaNs quiet.
        31 => 0x7fc0_0000,
        0 => (f32::from(half & 1023) * 2_f32.powi(-24)).to_bits(),
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | bits)
}

/// The half for a number, rounded.
pub(crate) fn half_from_f64(value: f64, rounding: Rounding) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let exponent = (bits >> 52 & 2047) as i32 - 1023;
    let mantissa = bits & ((1 << 52) - 1);
    if exponent == 1024 {
        let payload = if mantissa == 0 { 0 } else { 0x200 | (mantissa >> 42) as u16 };
        return sign | 0x7c00 | payload;
    }
    if exponent == -1023 {
        return sign;
    }
    let mantissa = mantissa | 1 << 52;
    let away = rounding == Rounding::Up && sign == 0 || rounding == Rounding::Down && sign != 0;
    let shift = if exponent < -14 { 42 + (-14 - exponent) } else { 42 };
    let rounded = if shift > 63 {
        u64::from(away)
    } else {
        let (rest, half) = (mantissa & ((1 << shift) - 1), 1 << (shift - 1));
        let kept = mantissa >> shift;
        let up = match rounding {
            Rounding::Nearest => rest > half || rest == half && kept & 1 == 1,
            _ => away && rest != 0,
        };
        kept + u64::from(up)
    };
    if exponent < -14 {
        return sign | rounded as u16;
    }
    let all = rounded + (((exponent + 14) as u64) << 10);
    if all < 0x7c00 {
        return sign | all as u16;
    }
    let overflows = rounding == Rounding::Nearest || away;
    sign | if overflows { 0x7c00 } else { 0x7bff }
}

/// The upper half of the float for a number, rounded once.
pub(crate) fn short_from_f64(value: f64, rounding: Rounding) -> u16 {
    // Round toward zero to a float with a sticky last bit, so that the second rounding takes the dropped bits
    // into account.
    let cut = narrow(value, Rounding::Zero);
    let sticky = u32::from(value.is_finite() && f64::from(cut) != value);
    let bits = cut.to_bits() | sticky;
    let (short, rest, negative) = (bits >> 16, bits & 0xffff, bits >> 31 != 0);
    let up = if cut.is_nan() {
        return (short | 0x40) as u16;
    } else if cut.is_infinite() {
        false
    } else {
        match rounding {
            Rounding::Nearest => rest > 0x8000 || rest == 0x8000 && short & 1 == 1,
            Rounding::Up => rest != 0 && !negative,
            Rounding::Down => rest != 0 && negative,
            Rounding::Zero => false,
        }
    };
    (short + u32::from(up)) as u16
}

/// Flushes a denormal half to zero.
pub(crate) fn flush_half(half: u16) -> u16 {
    if half & 0x7c00 == 0 { half & 0x8000 } else { half }
}

/// Flushes a denormal to zero.
#[inline(always)]
pub(crate) fn flush(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// Flushes a denormal to zero.
#[inline(always)]
pub(crate) fn flush_double(value: f64) -> f64 {
    let bits = value.to_bits();
    f64::from_bits(if bits & 0x7ff0_0000_0000_0000 == 0 { bits & 1 << 63 } else { bits })
}

/// An 8-bit float: a sign, a 3-bit exponent with a bias of 3, a 4-bit mantissa.
pub(crate) fn restricted(bits: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(bits >> 4 & 7), f32::from(bits & 15));
    let magnitude = if bits & 0x7f == 0 { 0.0 } else { (1.0 + mantissa / 16.0) * 2_f32.powi(exponent - 3) };
    if bits & 0x80 == 0 { magnitude } else { -magnitude }
}

/// Applies directed rounding to the number nearest to an exact result. `error` has the sign of the exact
/// result minus `next`; if `next` has overflowed to infinity, it is the opposite of its sign.
fn directed(next: f64, error: f64, rounding: Rounding, up: fn(f64) -> f64, down: fn(f64) -> f64) -> f64 {
    match rounding {
        Rounding::Up if error > 0.0 => up(next),
        Rounding::Down if error < 0.0 => down(next),
        Rounding::Zero if error < 0.0 && next > 0.0 => down(next),
        Rounding::Zero if error > 0.0 && next < 0.0 => up(next),
        _ => next,
    }
}

/// `value + error` as a float. `error` is the exact result minus `value`.
pub(crate) fn round_f32(value: f64, error: f64, rounding: Rounding) -> f32 {
    if error == 0.0 || !value.is_finite() || error.is_nan() {
        return narrow(value, rounding);
    }
    // Round to odd: the last bit records that more bits follow.
    let bits = value.to_bits();
    let odd = if bits & 1 == 1 {
        bits
    } else if (error > 0.0) == (value > 0.0) {
        bits + 1
    } else {
        bits - 1
    };
    narrow(f64::from_bits(odd), rounding)
}

/// A double as a float.
pub(crate) fn narrow(value: f64, rounding: Rounding) -> f32 {
    let next = value as f32;
    if rounding == Rounding::Nearest || !value.is_finite() {
        return next;
    }
    let error = value - f64::from(next);
    directed(
        next.into(),
        error,
        rounding,
        |value| (value as f32).next_up().into(),
        |value| (value as f32).next_down().into(),
    ) as f32
}

/// The sum of two doubles, and its error.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let other = sum - a;
    (sum, (a - (sum - other)) + (b - other))
}

/// A double, from the double nearest to the exact result, and its error.
pub(crate) fn round_f64(next: f64, error: f64, rounding: Rounding, finite: bool) -> f64 {
    if rounding == Rounding::Nearest || next.is_nan() || next.is_infinite() && !finite {
        return next;
    }
    let error = if next.is_infinite() { -next } else { error };
    directed(next, error, rounding, f64::next_up, f64::next_down)
}

/// `a * b + c` with one rounding.
#[inline(always)]
pub(crate) fn fused(a: f32, b: f32, c: f32) -> f32 {
    // The product is exact. The sum is rounded to odd, so a second rounding to half the digits is correct.
    let (sum, error) = two_sum(f64::from(a) * f64::from(b), c.into());
    let bits = sum.to_bits();
    let inexact = sum.is_finite() && error != 0.0 && bits & 1 == 0;
    let step = if (error > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
    f64::from_bits(bits.wrapping_add(if inexact { step } else { 0 })) as f32
}

/// `a * b + c` of halves as a float, rounded to odd: rounding it to a half is then correct.
pub(crate) fn fused_halves(a: f64, b: f64, c: f64) -> f64 {
    // The product is exact.
    let (sum, error) = two_sum(a * b, c);
    let cut = round_f32(sum, error, Rounding::Zero);
    let inexact = sum.is_finite() && (error != 0.0 || f64::from(cut) != sum);
    f32::from_bits(cut.to_bits() | u32::from(inexact)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_convert_there_and_back() {
        for half in 0..=u16::MAX {
            let value = half_to_f32(half);
            if half & 0x7c00 == 0x7c00 && half & 0x3ff != 0 {
                assert!(value.is_nan());
                continue;
            }
            for rounding in [Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero] {
                assert_eq!(half_from_f64(value.into(), rounding), half, "{value} {rounding:?}");
            }
        }
    }

    #[test]
    fn halves_between_two_round_by_their_mode() {
        // 2049 lies between 2048 (0x6800) and 2050 (0x6801).
        let modes = [
            (Rounding::Nearest, 0x6800),
            (Rounding::Up, 0x6801),
            (Rounding::Down, 0x6800),
            (Rounding::Zero, 0x6800),
        ];
        for (rounding, half) in modes {
            assert_eq!(half_from_f64(2049.0, rounding), half);
        }
        assert_eq!(half_from_f64(1e9, Rounding::Nearest), 0x7c00);
        assert_eq!(half_from_f64(1e9, Rounding::Zero), 0x7bff);
        assert_eq!(half_from_f64(-1e9, Rounding::Up), 0xfbff);
    }

    #[test]
    fn a_fused_product_rounds_once() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from_bits((state >> 32) as u32)
        };
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            let (is, exact) = (fused(a, b, c), a.mul_add(b, c));
            assert!(is.to_bits() == exact.to_bits() || is.is_nan() && exact.is_nan(), "{a} {b} {c}");
            let near = -(a * b);
            assert!(
                fused(a, b, near).to_bits() == a.mul_add(b, near).to_bits()
                    || (a * b).is_nan()
                    || near.is_infinite()
            );
        }
    }

    #[test]
    fn a_fused_product_of_halves_rounds_once() {
        let tie = 2.0 + 2_f64.powi(-10);
        for (c, expected) in [(2_f64.powi(-24), 0x4001), (0.0, 0x4000), (-(2_f64.powi(-24)), 0x4000)] {
            // The product is halfway between two halves.
            let sum = fused_halves(683.0 / 512.0, 1.5, c);
            assert_eq!(half_from_f64(sum, Rounding::Nearest), expected, "{tie} + {c}");
            assert_eq!(half_from_f64(-sum, Rounding::Nearest), expected | 0x8000, "{tie} + {c}");
        }
        assert_eq!(fused_halves(f64::INFINITY, 1.0, 1.0), f64::INFINITY);
        assert!(fused_halves(f64::INFINITY, 1.0, f64::NEG_INFINITY).is_nan());
    }

    #[test]
    fn directed_rounding_brackets_the_nearest() {
        for (value, error) in [(1.0, 1e-30), (1.0, -1e-30), (-1.0, 1e-30), (-1.0, -1e-30)] {
            let up = round_f32(value, error, Rounding::Up);
            let down = round_f32(value, error, Rounding::Down);
            let zero = round_f32(value, error, Rounding::Zero);
            assert_eq!(up, down.next_up());
            assert_eq!(zero, if value > 0.0 { down } else { up });
        }
        assert_eq!(narrow(1e300, Rounding::Zero), f32::MAX);
        assert_eq!(narrow(1e300, Rounding::Up), f32::INFINITY);
    }
}
