//! The sine of every `f32`: near 0 by arithmetic that vectorises, elsewhere by integers, exactly reduced.

/// Up to here [`sine_of_small`] is exact to less than a unit.
pub(crate) const SMALL_ANGLE: f32 = 1e5;

/// 1.5 * 2^52: a sum with it is rounded to an integer, of which its low bits are the lowest ones.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;

/// The sine, `quarters` quarters of a turn later.
#[inline(always)]
pub(super) fn sine(x: f32, quarters: u64) -> f32 {
    if x.abs() <= SMALL_ANGLE { sine_of_small(x, quarters) } else { sine_of_large(x, quarters) }
}

/// The same of an angle of at most [`SMALL_ANGLE`]. Without branches, so that it vectorises.
#[inline(always)]
pub(crate) fn sine_of_small(x: f32, quarters: u64) -> f32 {
    let x = f64::from(x);
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let whole = shifted - ROUND;
    // A quarter of a turn in two parts, of which the first has so few bits that the product is exact.
    let rest = (x - whole * 1.570_796_326_734_125_6) - whole * 6.077_100_506_506_192e-11;
    of_rest(rest, shifted.to_bits().wrapping_add(quarters))
}

/// The same of a larger angle; of infinity and NaN NaN.
#[cold]
#[inline(never)]
fn sine_of_large(x: f32, quarters: u64) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    // The angle is a whole number of 24 bits times a power of two.
    let number = u128::from(x.to_bits() & 0x7f_ffff | 0x80_0000);
    let exponent = (x.to_bits() >> 23 & 0xff) as i32 - 150;
    // The bits of 2 / pi that count as 2 and less after the multiplication by that power. Those above make whole
    // turns.
    let first = (62 + exponent) as usize;
    let (word, shift) = (first / 64, first % 64);
    let pair = u128::from(QUARTERS[word]) << 64 | u128::from(QUARTERS[word + 1]);
    let window = pair << shift | u128::from(QUARTERS[word + 2]) >> 1 >> (63 - shift);
    // Quarters of a turn: two bits of whole ones, 126 of the fraction.
    let turn = (number * (window >> 24)) << 24;
    let whole = turn.wrapping_add(1 << 125) >> 126;
    let fraction = turn.wrapping_sub(whole << 126) as i128;
    let rest = fraction as f64 * 2f64.powi(-126) * std::f64::consts::FRAC_PI_2;
    if x < 0.0 {
        of_rest(-rest, quarters.wrapping_sub(whole as u64))
    } else {
        of_rest(rest, quarters.wrapping_add(whole as u64))
    }
}

/// 2 / pi, the quarters of a turn in a radian: the first bit counts 2^63.
const QUARTERS: [u64; 5] =
    [0, 0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];

/// The sine of at most an eighth of a turn, `quarters` quarters later.
#[inline(always)]
fn of_rest(rest: f64, quarters: u64) -> f32 {
    let q = rest * rest;
    let sine = rest
        + rest
            * q
            * (-1.0 / 6.0
                + q * (1.0 / 120.0 + q * (-1.0 / 5040.0 + q * (1.0 / 362_880.0 - q * (1.0 / 39_916_800.0)))));
    let cosine = 1.0
        + q * (-1.0 / 2.0
            + q * (1.0 / 24.0 + q * (-1.0 / 720.0 + q * (1.0 / 40320.0 - q * (1.0 / 3_628_800.0)))));
    let size = if quarters & 1 == 0 { sine } else { cosine };
    (if quarters & 2 == 0 { size } else { -size }) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact result to 50 bits: `f64` has every `f32`.
    fn check(x: f32) {
        for (quarters, exact) in [(0, f64::from(x).sin()), (1, f64::from(x).cos())] {
            let found = sine(x, quarters);
            let unit = f64::from((exact as f32).abs().next_up()) - f64::from((exact as f32).abs());
            let error = (f64::from(found) - exact).abs() / unit;
            assert!(
                error < 0.51 && found.abs() <= 1.0,
                "{x:e}, {quarters} quarters on: {found}, not {exact}"
            );
        }
    }

    #[test]
    fn every_finite_angle_has_a_sine() {
        (0..0x7f80_0000).step_by(9_973).map(f32::from_bits).for_each(|x| {
            check(x);
            check(-x);
        });
        // Next to the end of small angles, the largest, and those closest to multiples of quarters.
        for x in [SMALL_ANGLE, SMALL_ANGLE.next_up(), 1e20, f32::MAX, 16_367_173.0 * 2f32.powi(72)] {
            check(x);
        }
        for x in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(sine(x, 0).is_nan() && sine(x, 1).is_nan(), "{x}");
        }
    }

    #[test]
    fn both_ways_agree_where_both_are_exact() {
        for x in (1..100_000).map(|n| n as f32 * 0.997) {
            let found = sine_of_large(x, 0);
            assert!((found - sine_of_small(x, 0)).abs() <= f32::EPSILON / 2.0, "{x}: {found}");
        }
    }
}
