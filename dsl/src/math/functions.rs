//! Functions of `f16` and `f32`. If GPUs approximate a function, its documentation gives the error bound; the
//! other functions give the same bits everywhere.

use cm_macros::op;

use super::arith::common;
use super::register::{Beside, Register};
use crate::elem::{Numeric, Single};
use crate::ops::{Cos, Div, Exp, Inv, Log, Pow, Rndd, Rnde, Rndu, Rndz, Rsqrt, Sin, Sqrt, SqrtIeee, UnaryOp};

/// 2 to the power of `x`. CM: `cm_exp(x)`, which also has base 2.
///
/// The elements are `f16` or `f32`, and so is the result. GPUs approximate it: every execution is within 4
/// units in the last place of the exact result, where results below the smallest normal number, 2^-126, may
/// be 0. For CM's `SAT` write `.saturate()` after it.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([3.0f32, -1.0, f32::NEG_INFINITY]);
/// assert_eq!(math::exp(x).to_array(), [8.0, 0.5, 0.0]);
/// ```
#[op]
pub fn exp<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<Exp, A::Elem, _>(x)
}

/// The logarithm to base 2. CM: `cm_log(x)`, which also has base 2.
///
/// The elements are `f16` or `f32`, and so is the result. GPUs approximate it: every execution is within 4
/// units in the last place of the exact result or within 4.8e-7 of it, and denormal numbers may be treated as 0.
/// The logarithm of 0 is minus infinity; for negative numbers it is NaN.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::log(Vector::from_array([8.0f32, 0.5, 0.0])).to_array(), [3.0, -1.0, f32::NEG_INFINITY]);
/// ```
#[op]
pub fn log<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<Log, A::Elem, _>(x)
}

/// The reciprocal `1 / x`. CM: `cm_inv(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. GPUs approximate it: every execution is within 2
/// units in the last place of the exact result, where denormal results may be 0 and the reciprocal of a
/// denormal number infinite. `1.0f32 / x` is rounded to nearest everywhere, in more instructions.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::inv(Vector::from_array([4.0f32, -0.0])).to_array(), [0.25, f32::NEG_INFINITY]);
/// ```
#[op]
pub fn inv<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<Inv, A::Elem, _>(x)
}

/// The square root. CM: `cm_sqrt(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. GPUs approximate it: every execution is within 2
/// units in the last place of the exact result, and denormal numbers may be treated as 0. For negative numbers it
/// is NaN, for -0.0 it is -0.0. [`sqrt_ieee`] is rounded to nearest everywhere.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::sqrt(Vector::from_array([9.0f32, 0.25])).to_array(), [3.0, 0.5]);
/// ```
#[op]
pub fn sqrt<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<Sqrt, A::Elem, _>(x)
}

/// The reciprocal of the square root, `1 / sqrt(x)`. CM: `cm_rsqrt(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. GPUs approximate it: every execution is within 2
/// units in the last place of the exact result, and denormal numbers may be treated as 0. For 0 it is infinity, for
/// negative numbers NaN.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::rsqrt(Vector::from_array([16.0f32, 0.0])).to_array(), [0.25, f32::INFINITY]);
/// ```
#[op]
pub fn rsqrt<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<Rsqrt, A::Elem, _>(x)
}

/// The sine of radians. CM: `cm_sin(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. The CPU is within a unit for every finite angle. GPUs
/// approximate it: for angles from -100000 to 100000 every execution is within 0.0008 of the exact result. For
/// infinity and NaN it is NaN.
///
/// ```
/// use cm::prelude::*;
/// let y = math::sin(Vector::from_array([0.0f32, 1.5707964])).to_array();
/// assert!(y[0].abs() < 8e-4 && (y[1] - 1.0).abs() < 8e-4);
/// ```
#[op]
pub fn sin<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<Sin, A::Elem, _>(x)
}

/// The cosine of radians. CM: `cm_cos(x)`. The bounds are those of [`sin`].
///
/// ```
/// use cm::prelude::*;
/// let y = math::cos(Vector::from_array([0.0f32, 3.1415927])).to_array();
/// assert!((y[0] - 1.0).abs() < 8e-4 && (y[1] + 1.0).abs() < 8e-4);
/// ```
#[op]
pub fn cos<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<Cos, A::Elem, _>(x)
}

/// The sine and the cosine. CM: `cm_sincos(cos, x)`, which returns the sine. The bounds are those of [`sin`].
///
/// ```
/// use cm::prelude::*;
/// let (sine, cosine) = math::sincos(Vector::from_array([0.0f32]));
/// assert!(sine.to_array()[0].abs() < 8e-4 && (cosine.to_array()[0] - 1.0).abs() < 8e-4);
/// ```
#[op]
pub fn sincos<A: Register<Elem: Single>>(x: A) -> (A::With<A::Elem>, A::With<A::Elem>) {
    (sin(x), cos(x))
}

/// `|a|` to the power of `b`. CM: `cm_pow(a, b)`.
///
/// The operands are `f16` or `f32`; the second can also be an integer. The result has their common type. GPUs
/// compute `exp(b * log(|a|))`: every execution is within 512 units in the last place of the exact result (2^-14
/// of it), where results below the smallest normal number may be 0. The result is 1 if `b` is 0 or `|a|` is 1,
/// whatever the other operand. In plain Rust write literals with their type: `2.0f32`.
///
/// ```
/// use cm::prelude::*;
/// let y = math::pow(Vector::from_array([2.0f32, -3.0, 0.0]), 2.0f32).to_array();
/// assert!((y[0] - 4.0).abs() < 4e-4 && (y[1] - 9.0).abs() < 9e-4 && y[2] == 0.0);
/// ```
#[op]
pub fn pow<A, V>(a: A, b: V) -> A::With<V::Common>
where
    A: Register<Elem: Single>,
    V: Beside<A, Common: Single>,
{
    common::<Pow, V::Common, false, _, _>(a, b)
}

/// The square root, rounded to nearest on every device. CM: `cm_sqrt_ieee(x)`.
///
/// The elements are `f16` or `f32`, and so is the result. For negative numbers it is NaN, for -0.0 it is
/// -0.0. CM supports it only on some generations; here it takes about 50 instructions on all of them.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::sqrt_ieee(Vector::from_array([2.0f32, -0.0])).to_array(), [2.0f32.sqrt(), -0.0]);
/// ```
#[op]
pub fn sqrt_ieee<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    unary::<SqrtIeee, A::Elem, _>(x)
}

/// The quotient, rounded to nearest on every device: `a / b`. CM: `cm_div_ieee(a, b)`.
///
/// The operands are `f16` or `f32`; the second can also be an integer. The result has their common type. Write
/// literals with their type: `2.0f32`.
///
/// ```
/// use cm::prelude::*;
/// let quotients = math::div_ieee(Vector::from_array([1.0f32, -1.0]), 0.0f32);
/// assert_eq!(quotients.to_array(), [f32::INFINITY, f32::NEG_INFINITY]);
/// ```
#[op]
pub fn div_ieee<A, V>(a: A, b: V) -> A::With<V::Common>
where
    A: Register<Elem: Single>,
    V: Beside<A, Common: Single>,
{
    common::<Div, V::Common, false, _, _>(a, b)
}

/// Rounds down to an integer, as `U`. CM: `cm_rndd<T>(x)`.
///
/// The elements are `f16` or `f32`. The integer is converted to `U` as `.convert()` does: clamped to the range
/// of an integer type, NaN as 0. As a float, NaN and infinity do not change, and zeros keep their sign.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([-0.5f32, 2.5, 300.7]);
/// assert_eq!(math::rndd::<i16, _>(x).to_array(), [-1, 2, 300]);
/// assert_eq!(math::rndd::<f32, _>(x).to_array(), [-1.0, 2.0, 300.0]);
/// assert_eq!(math::rndd::<u8, _>(x).to_array(), [0, 2, 255]);
/// ```
#[op]
pub fn rndd<U: Numeric, A: Register<Elem: Single>>(x: A) -> A::With<U> {
    unary::<Rndd, U, _>(x)
}

/// Rounds up to an integer, as `U`. CM: `cm_rndu<T>(x)`. The rules are those of [`rndd`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::rndu::<i16, _>(Vector::from_array([-0.5f32, 2.5])).to_array(), [0, 3]);
/// ```
#[op]
pub fn rndu<U: Numeric, A: Register<Elem: Single>>(x: A) -> A::With<U> {
    unary::<Rndu, U, _>(x)
}

/// Rounds to the nearest integer, ties to even, as `U`. CM: `cm_rnde<T>(x)`. The rules are those of [`rndd`].
///
/// (CM's emulator rounds -0.5 and -2.5 away from zero; its compiler and this function do not.)
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([-2.5f32, -0.5, 0.5, 1.5, 2.6]);
/// assert_eq!(math::rnde::<i16, _>(x).to_array(), [-2, 0, 0, 2, 3]);
/// ```
#[op]
pub fn rnde<U: Numeric, A: Register<Elem: Single>>(x: A) -> A::With<U> {
    unary::<Rnde, U, _>(x)
}

/// Rounds towards zero to an integer, as `U`. CM: `cm_rndz<T>(x)`. The rules are those of [`rndd`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::rndz::<f32, _>(Vector::from_array([-2.7f32, 2.7])).to_array(), [-2.0, 2.0]);
/// ```
#[op]
pub fn rndz<U: Numeric, A: Register<Elem: Single>>(x: A) -> A::With<U> {
    unary::<Rndz, U, _>(x)
}

/// `O` of one operand, as elements `U`.
#[op]
fn unary<O: UnaryOp<A::Elem>, U: Numeric, A: Register>(x: A) -> A::With<U> {
    x.map1::<O, A::Elem, U, false>()
}
