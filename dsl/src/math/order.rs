//! Minima, maxima and absolute values.

use cm_macros::op;

use super::exact::{Within, of_order};
use super::register::{Beside, Register};
use crate::elem::{Elem, Numeric};
use crate::ops::{Abs, BinaryOp, Max, Min};

/// The smaller of two elements, as `U`. CM: `cm_min<T0>(a, b)`.
///
/// `a` is a matrix, a vector or a scalar; `b` has the same shape or is a number. Elements are compared in
/// their common type, that of `a + b`, and the result is converted to `U`, which wraps. If the elements are equal,
/// the result is that of `a`; zeros of both signs are equal. If one element is NaN, the result is the other one.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([3u8, 200]);
/// assert_eq!(math::min::<u8, _>(a, Vector::from_array([5u8, 100])).to_array(), [3, 100]);
/// assert_eq!(math::min::<i16, _>(a, -1).to_array(), [-1, -1]);
/// assert_eq!(math::min::<f32, _>(Vector::from_array([f32::NAN, 2.0]), 1.0f32).to_array(), [1.0, 1.0]);
/// ```
#[op]
pub fn min<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    ordered::<Min, U, false, _, _>(a, b)
}

/// [`min`], clamped to the range of `U`, floats to 0..=1. CM: `cm_min<T0>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::min_sat::<u8, _>(Vector::from_array([-3i16, 300]), 400).to_array(), [0, 255]);
/// ```
#[op]
pub fn min_sat<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    ordered::<Min, U, true, _, _>(a, b)
}

/// The larger of two elements, as `U`. CM: `cm_max<T0>(a, b)`.
///
/// The rules are those of [`min`].
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([3u8, 200]);
/// assert_eq!(math::max::<u8, _>(a, Vector::from_array([5u8, 100])).to_array(), [5, 200]);
/// assert_eq!(math::max::<f32, _>(Vector::from_array([-0.0f32]), 0.0f32).get(0).value().to_bits(), 1 << 31);
/// ```
#[op]
pub fn max<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    ordered::<Max, U, false, _, _>(a, b)
}

/// [`max`], clamped to the range of `U`, floats to 0..=1. CM: `cm_max<T0>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::max_sat::<u8, _>(Vector::from_array([-3i16, 300]), -1).to_array(), [0, 255]);
/// ```
#[op]
pub fn max_sat<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    ordered::<Max, U, true, _, _>(a, b)
}

/// The absolute value, as `U`. CM: `cm_abs<T0>(x)`.
///
/// The absolute value is exact and then wraps in `U`: for `i8::MIN` it is 128, or -128 as `i8`. Floats lose their
/// sign, including zeros and NaN.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([-5i8, 5, i8::MIN]);
/// assert_eq!(math::abs::<u8, _>(x).to_array(), [5, 5, 128]);
/// assert_eq!(math::abs::<i8, _>(x).to_array(), [5, 5, i8::MIN]);
/// ```
#[op]
pub fn abs<U: Numeric, A: Register>(x: A) -> A::With<U> {
    x.map1::<Abs, A::Elem, U, false>()
}

/// [`abs`], clamped to the range of `U`, floats to 0..=1. CM: `cm_abs<T0>(x, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::abs_sat::<i8, _>(Vector::from_array([-5i8, 5, i8::MIN])).to_array(), [5, 5, i8::MAX]);
/// ```
#[op]
pub fn abs_sat<U: Numeric, A: Register>(x: A) -> A::With<U> {
    x.map1::<Abs, A::Elem, U, true>()
}

/// The element that `O` picks.
#[op]
fn ordered<O, U, const SAT: bool, A, V>(a: A, b: V) -> A::With<U>
where
    O: BinaryOp<V::Common> + BinaryOp<U>,
    U: Numeric,
    A: Register,
    V: Beside<A>,
{
    match const { of_order(A::Elem::TYPE, V::Elem::TYPE, V::Common::TYPE, U::TYPE) } {
        Within::Result => b.second_of::<O, U, U, false>(a),
        _ => b.second_of::<O, V::Common, U, SAT>(a),
    }
}
