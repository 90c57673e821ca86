//! Inverse trigonometric functions and the hyperbolic tangent, composed of operators: the same bits on every
//! device. In CM they are library functions.

use cm_macros::op;

use super::register::{Beside, Register, composed, of_one};
use crate::backend::{Backend, binary, convert, merge, number};
use crate::elem::Single;
use crate::ops::{Abs, Add, BinaryOp, Eq, Ge, Gt, Lt, Or, Rnde, Shl, SqrtIeee};
use crate::registers::Matrix;

/// The angle whose sine is `x`, from -pi/2 to pi/2. CM: `cm_asin(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. It has the same bits on every device, and is within 6
/// units in the last place of the exact result (CM's error is 1e-4 and more). Outside -1 to 1 it is NaN.
///
/// ```
/// use cm::prelude::*;
/// let y = math::asin(Vector::from_array([0.0f32, 1.0, 2.0])).to_array();
/// assert!(y[0] == 0.0 && (y[1] - 1.5707964).abs() < 1e-6 && y[2].is_nan());
/// ```
#[op]
pub fn asin<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    of_one::<ArcSine, _>(x)
}

/// The angle whose cosine is `x`, from 0 to pi. CM: `cm_acos(x)`.
///
/// The rules are those of [`asin`]. Near 1 the error is up to 4e-7, not units in the last place.
///
/// ```
/// use cm::prelude::*;
/// let y = math::acos(Vector::from_array([1.0f32, -1.0])).to_array();
/// assert!(y[0] == 0.0 && (y[1] - 3.1415927).abs() < 1e-6);
/// ```
#[op]
pub fn acos<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    of_one::<ArcCosine, _>(x)
}

/// The angle whose tangent is `x`, from -pi/2 to pi/2. CM: `cm_atan(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. It has the same bits on every device, and is within 6
/// units in the last place of the exact result.
///
/// ```
/// use cm::prelude::*;
/// let y = math::atan(Vector::from_array([1.0f32, f32::NEG_INFINITY])).to_array();
/// assert!((y[0] - 0.7853982).abs() < 1e-6 && (y[1] + 1.5707964).abs() < 1e-6);
/// ```
#[op]
pub fn atan<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    of_one::<ArcTangent, _>(x)
}

/// The angle of the point (`x`, `y`), from -pi to pi. CM: `cm_atan2(y, x)`.
///
/// `y` is `f16` or `f32`; `x` has the same elements and shape or is a number. The result has the same bits on
/// every device, and is within 6 units in the last place of the exact result. Zeros and infinities of both signs
/// give the same angles as C's `atan2`. In plain Rust write literals with their type: `2.0f32`.
///
/// ```
/// use cm::prelude::*;
/// let y = math::atan2(Vector::from_array([1.0f32, 0.0]), Vector::from_array([-1.0f32, -1.0])).to_array();
/// assert!((y[0] - 2.3561945).abs() < 1e-6 && (y[1] - 3.1415927).abs() < 1e-6);
/// ```
#[op]
pub fn atan2<A: Register<Elem: Single>>(y: A, x: impl Beside<A, Elem = A::Elem>) -> A::With<A::Elem> {
    let x = x.beside();
    y.composed::<Angle, _, _>(x, x)
}

/// The hyperbolic tangent. CM: `cm_tanh(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. It has the same bits on every device, and is within 5
/// units in the last place of the exact result.
///
/// ```
/// use cm::prelude::*;
/// let y = math::tanh(Vector::from_array([0.5f32, -20.0])).to_array();
/// assert!((y[0] - 0.46211716).abs() < 1e-6 && y[1] == -1.0);
/// ```
#[op]
pub fn tanh<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    of_one::<HyperbolicTangent, _>(x)
}

/// Functions of floats by their meaning in `f32`.
macro_rules! in_single {
    ($($function:ident: |$a:ident, $b:tt| $body:block)*) => {$(
        struct $function;

        composed! {
            [T: Single] $function: |a: T, b: T, _: T| -> T {
                let $a = Matrix::<f32, R, C, B>::from_reg(convert::<B, T, f32, R, C>(a.into_reg()));
                let $b = Matrix::<f32, R, C, B>::from_reg(convert::<B, T, f32, R, C>(b.into_reg()));
                let result: Matrix<f32, R, C, B> = $body;
                Matrix::from_reg(convert::<B, f32, T, R, C>(result.into_reg()))
            }
        }
    )*};
}

in_single! {
    ArcTangent: |x, _| { angle(x, single(1.0)) }
    Angle: |y, x| { angle(y, x) }
    ArcSine: |x, _| { angle(x, other_side(x)) }
    ArcCosine: |x, _| { angle(other_side(x), x) }
    HyperbolicTangent: |x, _| { hyperbolic_tangent(x) }
}

#[op]
fn single<const R: usize, const C: usize, B: Backend>(x: f32) -> Matrix<f32, R, C, B> {
    Matrix::from_reg(number::<B, f32, R, C>(x))
}

/// `a` where `O` holds between the first two, otherwise `b`.
#[op]
fn choose<O, const R: usize, const C: usize, B: Backend>(
    (x, y): (Matrix<f32, R, C, B>, Matrix<f32, R, C, B>),
    a: Matrix<f32, R, C, B>,
    b: Matrix<f32, R, C, B>,
) -> Matrix<f32, R, C, B>
where
    O: BinaryOp<f32, Output = u16>,
{
    let mask = binary::<B, O, f32, R, C>(x.into_reg(), y.into_reg());
    Matrix::from_reg(merge::<B, u16, f32, R, C>(mask, a.into_reg(), b.into_reg()))
}

#[op]
fn size<const R: usize, const C: usize, B: Backend>(x: Matrix<f32, R, C, B>) -> Matrix<f32, R, C, B> {
    Matrix::from_reg(B::map1::<Abs, f32, f32, f32, false, R, C>(x.into_reg()))
}

/// The bits of `x`, and of its sign alone.
#[op]
fn sign<const R: usize, const C: usize, B: Backend>(x: Matrix<f32, R, C, B>) -> B::Reg<u32, R, C> {
    let bits = B::format::<f32, u32, R, C, R, C>(&x.into_reg());
    binary::<B, crate::ops::And, u32, R, C>(bits, number::<B, u32, R, C>(1 << 31))
}

/// A non-negative number with the sign of another number.
#[op]
fn with_sign<const R: usize, const C: usize, B: Backend>(
    x: Matrix<f32, R, C, B>,
    of: Matrix<f32, R, C, B>,
) -> Matrix<f32, R, C, B> {
    let bits = B::format::<f32, u32, R, C, R, C>(&x.into_reg());
    let bits = binary::<B, Or, u32, R, C>(bits, sign(of));
    Matrix::from_reg(B::format::<u32, f32, R, C, R, C>(&bits))
}

/// The polynomial of these coefficients, the highest one first.
#[op]
fn polynomial<const N: usize, const R: usize, const C: usize, B: Backend>(
    x: Matrix<f32, R, C, B>,
    coefficients: [f32; N],
) -> Matrix<f32, R, C, B> {
    let mut sum = single(0.0);
    for (n, coefficient) in coefficients.into_iter().enumerate() {
        let next = single(coefficient);
        sum = if n == 0 { next } else { sum * x + next };
    }
    sum
}

/// The square root of `1 - x * x`.
#[op]
fn other_side<const R: usize, const C: usize, B: Backend>(x: Matrix<f32, R, C, B>) -> Matrix<f32, R, C, B> {
    let square = (single(1.0) - x) * (single(1.0) + x);
    Matrix::from_reg(B::map1::<SqrtIeee, f32, f32, f32, false, R, C>(square.into_reg()))
}

/// The angle of a point.
#[op]
fn angle<const R: usize, const C: usize, B: Backend>(
    y: Matrix<f32, R, C, B>,
    x: Matrix<f32, R, C, B>,
) -> Matrix<f32, R, C, B> {
    let (width, height) = (size(x), size(y));
    let long = choose::<Gt, R, C, B>((height, width), height, width);
    let short = choose::<Gt, R, C, B>((height, width), width, height);
    // For two zeros the angle is that of (1, 0), for two infinities that of (1, 1).
    let long = choose::<Gt, R, C, B>((long, single(0.0)), long, long + long + single(f32::MIN_POSITIVE));
    let t = choose::<Eq, R, C, B>((short, long), single(1.0), short / long);
    let q = t * t;
    let series = polynomial(
        q,
        [
            0.002_866_225_7,
            -0.016_165_737,
            0.042_909_615,
            -0.075_289_64,
            0.106_562_64,
            -0.142_089,
            0.199_935_51,
            -0.333_331_45,
        ],
    );
    let part = t + t * q * series;
    let quarter = single(std::f32::consts::FRAC_PI_2);
    let part = choose::<Gt, R, C, B>((height, width), quarter - part, part);
    // For -0.0 as well.
    let left = with_sign(single(1.0), x);
    let part = choose::<Lt, R, C, B>((left, single(0.0)), single(std::f32::consts::PI) - part, part);
    with_sign(part, y)
}

#[op]
fn hyperbolic_tangent<const R: usize, const C: usize, B: Backend>(
    x: Matrix<f32, R, C, B>,
) -> Matrix<f32, R, C, B> {
    let q = x * x;
    let series = polynomial(q, [-0.005_704_988_7, 0.020_639_09, -0.053_739_715, 0.133_314_42, -0.333_332_8]);
    let near = x + x * q * series;
    // 1 - 2 / (e^2x + 1), up to the size above which the result is 1.
    let far = size(x);
    let far =
        choose::<Lt, R, C, B>((far, single(10.0)), far, choose::<Ge, R, C, B>((far, far), single(10.0), far));
    let power = exponential(far + far);
    let far = single(1.0) - single(2.0) / (power + single(1.0));
    choose::<Lt, R, C, B>((size(x), single(0.625)), near, with_sign(far, x))
}

/// e to the power of a number from 0 to 20.
#[op]
fn exponential<const R: usize, const C: usize, B: Backend>(x: Matrix<f32, R, C, B>) -> Matrix<f32, R, C, B> {
    let whole = (x * single(std::f32::consts::LOG2_E)).into_reg();
    let whole = Matrix::<f32, R, C, B>::from_reg(B::map1::<Rnde, f32, f32, f32, false, R, C>(whole));
    // The natural logarithm of 2 in two parts; the first has few bits.
    let rest = x - whole * single(0.693_359_4) - whole * single(-2.121_944_4e-4);
    let series = polynomial(rest, [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0]);
    let exponent = binary::<B, Add, i32, R, C>(
        convert::<B, f32, i32, R, C>(whole.into_reg()),
        number::<B, i32, R, C>(127),
    );
    let bits = binary::<B, Shl, i32, R, C>(exponent, number::<B, i32, R, C>(23));
    series * Matrix::from_reg(B::format::<i32, f32, R, C, R, C>(&bits))
}

#[cfg(test)]
mod tests {
    use crate::math;
    use crate::registers::Vector;

    fn check(
        name: &str,
        found: impl Fn(Vector<f32, 1>) -> Vector<f32, 1>,
        exact: fn(f64) -> f64,
        bound: f64,
    ) {
        let specials = [0.0, -0.0, 1.0, -1.0, 0.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let numbers = (0..=u32::MAX).step_by(40_009).map(f32::from_bits).chain(specials);
        for x in numbers.chain((-2000..2000).map(|n| n as f32 / 1000.0)) {
            let (found, exact) = (found(Vector::from_array([x])).to_array()[0], exact(x.into()));
            let unit = f64::from((exact as f32).abs().next_up() - (exact as f32).abs()).max(1e-45);
            let error = (f64::from(found) - exact).abs() / unit;
            let same = found.is_nan() && exact.is_nan() || f64::from(found) == exact;
            assert!(same || error <= bound, "{name} of {x:e}: {found:e}, not {exact:e}, off by {error}");
        }
    }

    #[test]
    fn functions_are_near_the_exact_results() {
        check("atan", math::atan, f64::atan, 6.0);
        check("asin", math::asin, f64::asin, 6.0);
        check("tanh", math::tanh, f64::tanh, 5.0);
    }

    #[test]
    fn angles_of_all_quadrants_are_those_of_c() {
        let all = [0.0, -0.0, 1.0, -1.0, 0.3, -7.0, 1e30, -1e-30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        for (y, x) in all.into_iter().flat_map(|y| all.into_iter().map(move |x| (y, x))) {
            let found = math::atan2(Vector::from_array([y]), Vector::from_array([x])).to_array()[0];
            let exact = f64::from(y).atan2(x.into()) as f32;
            let near = (found - exact).abs() <= exact.abs() * 6e-7
                && found.is_sign_negative() == exact.is_sign_negative();
            assert!(near || found.is_nan() && exact.is_nan(), "{y}, {x}: {found}, not {exact}");
        }
    }

    #[test]
    fn angles_of_cosines_are_near() {
        for n in -1000..=1000 {
            let x = n as f32 / 1000.0;
            let found = math::acos(Vector::from_array([x])).to_array()[0];
            assert!((f64::from(found) - f64::from(x).acos()).abs() < 4e-7, "acos of {x}: {found}");
        }
    }
}
