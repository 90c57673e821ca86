//! Functions of floats, in loops that the compiler vectorises: no branches, no calls (except for large angles, see
//! `angle`), and the same bits on every CPU. Functions that GPUs approximate are approximated here too; the table of
//! operations gives the error bounds of both.

use half::f16;

use super::angle::{ROUND, sine, sine_of_small};
use super::element::Numeric;
use super::short;

/// A float element type that functions support: `f16` or `f32`. In CM: `half`, `float`.
#[diagnostic::on_unimplemented(
    message = "this function is not defined for `{Self}` elements",
    label = "needs `f16` or `f32` elements",
    note = "`.convert::<f32>()` makes some; a literal without a type, such as `0.5`, is an `f64`: write `0.5f32`"
)]
pub trait Single: Numeric + Functions {}
impl Single for f16 {}
impl Single for f32 {}

/// The functions of one element.
pub trait Functions: Copy {
    /// 2 to the power of `x`.
    fn exp(x: Self) -> Self;
    /// The logarithm to base 2; minus infinity for 0, NaN for negative numbers.
    fn log(x: Self) -> Self;
    /// `1 / x`.
    fn inv(x: Self) -> Self;
    /// The square root, rounded to nearest; NaN for negative numbers, -0.0 for -0.0.
    fn sqrt(x: Self) -> Self;
    /// `1 / sqrt(x)`.
    fn rsqrt(x: Self) -> Self;
    /// The sine of radians.
    fn sin(x: Self) -> Self;
    /// The cosine of radians.
    fn cos(x: Self) -> Self;
    /// `|a|` to the power of `b`; 1 if `|a|` is 1 or `b` is 0.
    fn pow(a: Self, b: Self) -> Self;
    /// `a * b + c`, rounded once.
    fn fma(a: Self, b: Self, c: Self) -> Self;
    /// Rounds down to an integer.
    fn rndd(x: Self) -> Self;
    /// Rounds up to an integer.
    fn rndu(x: Self) -> Self;
    /// Rounds to the nearest integer, ties to even.
    fn rnde(x: Self) -> Self;
    /// Rounds towards zero to an integer.
    fn rndz(x: Self) -> Self;
}

impl Functions for f32 {
    #[inline(always)]
    fn exp(x: Self) -> Self {
        power_of_two(x.into())
    }

    #[inline(always)]
    fn log(x: Self) -> Self {
        logarithm(x) as Self
    }

    #[inline(always)]
    fn inv(x: Self) -> Self {
        1.0 / x
    }

    #[inline(always)]
    fn sqrt(x: Self) -> Self {
        x.sqrt()
    }

    #[inline(always)]
    fn rsqrt(x: Self) -> Self {
        1.0 / x.sqrt()
    }

    #[inline(always)]
    fn sin(x: Self) -> Self {
        sine(x, 0)
    }

    #[inline(always)]
    fn cos(x: Self) -> Self {
        sine(x, 1)
    }

    #[inline(always)]
    fn pow(a: Self, b: Self) -> Self {
        let power = power_of_two(f64::from(b) * logarithm(a.abs()));
        if b == 0.0 || a.abs() == 1.0 { 1.0 } else { power }
    }

    #[inline(always)]
    fn fma(a: Self, b: Self, c: Self) -> Self {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn rndd(x: Self) -> Self {
        x.floor()
    }

    #[inline(always)]
    fn rndu(x: Self) -> Self {
        x.ceil()
    }

    #[inline(always)]
    fn rnde(x: Self) -> Self {
        x.round_ties_even()
    }

    #[inline(always)]
    fn rndz(x: Self) -> Self {
        x.trunc()
    }
}

/// Computed in `f32`. All angles are small.
macro_rules! halves {
    ($($name:ident($($x:ident),+) = $function:expr;)*) => {
        impl Functions for f16 {$(
            #[inline(always)]
            fn $name($($x: Self),+) -> Self {
                $(let $x = short::widened($x);)+
                short::rounded($function)
            }
        )*}
    };
}

halves! {
    exp(x) = Functions::exp(x);
    log(x) = Functions::log(x);
    inv(x) = Functions::inv(x);
    sqrt(x) = x.sqrt();
    rsqrt(x) = Functions::rsqrt(x);
    sin(x) = sine_of_small(x, 0);
    cos(x) = sine_of_small(x, 1);
    pow(a, b) = Functions::pow(a, b);
    fma(a, b, c) = odd_sum(a * b, c);
    rndd(x) = x.floor();
    rndu(x) = x.ceil();
    rnde(x) = x.round_ties_even();
    rndz(x) = x.trunc();
}

/// The sum of the exact product of two halves and a half, of two floats next to it the odd one if it is neither. Rounded
/// to a half it gives the exact sum's half: a float that is not exact has more bits than a half, and is no tie.
#[inline(always)]
fn odd_sum(product: f32, plus: f32) -> f32 {
    let sum = product + plus;
    let added = sum - product;
    let error = (product - (sum - added)) + (plus - added);
    // NaN if a number is infinite or NaN; then the sum is the result.
    let between = error.abs() > 0.0;
    let (bits, outwards) = (sum.to_bits(), (error < 0.0) == (sum < 0.0));
    let odd = if outwards { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f32::from_bits(if between && bits & 1 == 0 { odd } else { bits })
}

/// 2 to the power of `x`, with an error of less than a unit.
#[inline(always)]
fn power_of_two(x: f64) -> f32 {
    // Beyond these the result is infinity or 0. NaN is neither.
    let x = if x > 130.0 { 130.0 } else { x };
    let x = if x < -152.0 { -152.0 } else { x };
    // Rounds to the nearest integer by adding a number that leaves no bits for the fraction.
    let shifted = x + ROUND;
    let whole = shifted - ROUND;
    let t = (x - whole) * std::f64::consts::LN_2;
    // The series of e^t for a `t` of at most 0.35.
    let series = 1.0
        + t * (1.0
            + t * (1.0 / 2.0
                + t * (1.0 / 6.0
                    + t * (1.0 / 24.0
                        + t * (1.0 / 120.0
                            + t * (1.0 / 720.0 + t * (1.0 / 5040.0 + t * (1.0 / 40320.0))))))));
    // In `f64` every power is a normal number, so the result is rounded only once.
    let exponent = shifted.to_bits().wrapping_add(1023) << 52;
    (series * f64::from_bits(exponent)) as f32
}

/// The logarithm to base 2, to about 40 bits.
#[inline(always)]
fn logarithm(x: f32) -> f64 {
    // In `f64` every number is normal.
    let bits = f64::from(x).to_bits();
    // The mantissa from about 0.71 to 1.41: its bits counted from those of the square root of 1/2.
    let above = bits.wrapping_sub(0x3fe6_a09e_0000_0000);
    let mantissa = f64::from_bits((above & ((1 << 52) - 1)).wrapping_add(0x3fe6_a09e_0000_0000));
    // The exponent as a number: as the low bits of a number whose last bit counts 1.
    let exponent = f64::from_bits(ROUND.to_bits().wrapping_add((above >> 52) & 0xfff))
        - ROUND
        - if above >> 63 == 1 { 4096.0 } else { 0.0 };
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let q = s * s;
    let series =
        1.0 / 3.0 + q * (1.0 / 5.0 + q * (1.0 / 7.0 + q * (1.0 / 9.0 + q * (1.0 / 11.0 + q * (1.0 / 13.0)))));
    let result = exponent + (s + s * q * series) * (2.0 * std::f64::consts::LOG2_E);
    let result = if x < f32::INFINITY { result } else { f64::from(x) };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    if x < 0.0 { f64::NAN } else { result }
}

#[cfg(test)]
mod tests {
    use super::Functions;

    fn ulps(found: f32, exact: f64) -> f64 {
        let expected = exact as f32;
        if found == expected || found.is_nan() && expected.is_nan() {
            return 0.0;
        }
        let unit = f64::from(expected.abs().next_up()) - f64::from(expected.abs());
        (f64::from(found) - exact).abs() / unit
    }

    /// Numbers of all sizes and both signs.
    fn numbers() -> impl Iterator<Item = f32> {
        let specials = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
        (0..=u32::MAX).step_by(10_007).map(f32::from_bits).chain(specials)
    }

    #[test]
    fn functions_are_near_the_exact_results() {
        for x in numbers() {
            let exact = f64::from(x);
            let check = |name: &str, found: f32, exact: f64| {
                assert!(ulps(found, exact) < 0.51, "{name} of {x:e}: {found:e}, not {exact:e}");
            };
            check("exp", Functions::exp(x), exact.exp2());
            check("log", Functions::log(x), exact.log2());
            check("sqrt", Functions::sqrt(x), exact.sqrt());
            check("inv", Functions::inv(x), 1.0 / exact);
            check("sin", Functions::sin(x), exact.sin());
            check("cos", Functions::cos(x), exact.cos());
            assert!(ulps(Functions::rsqrt(x), 1.0 / exact.sqrt()) < 1.5, "rsqrt of {x:e}");
            for y in [0.0, -1.0, 0.5, 2.0, 3.3, -7.1, 40.0] {
                let found = Functions::pow(x, y);
                let error = ulps(found, exact.abs().powf(y.into()));
                assert!(error < 0.6, "{x:e} to the power of {y}: {found:e}, {error}");
            }
        }
    }
}
