//! Functions on groups of neighbouring elements.

use cm_macros::op;

use super::register::{Beside, Register};
use crate::elem::{Elem, Int};
use crate::limits::Groups;
use crate::ops::{Dp4, GroupOp, Sad2};

/// The sum of absolute differences of each pair of neighbours. CM: `cm_sad2<U>(a, b)`.
///
/// Elements 0 and 1 are a pair, then 2 and 3, and so on, row by row; `cargo check` tests that the number of
/// elements is even. Both elements of a pair of the result are `|a[0] - b[0]| + |a[1] - b[1]|`; CM leaves the
/// second one undefined. `b` has the shape of `a` or is a number.
///
/// The elements are integers of any type (in CM: bytes). The sum is computed in their common type, that of
/// `a + b`, and converted to `U`, which wraps. Sums of bytes and words do not overflow the common type; sums
/// of wider elements wrap.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([10u8, 0, 255, 255]);
/// let b = Vector::from_array([13u8, 5, 0, 0]);
/// assert_eq!(math::sad2::<u16, _>(a, b).to_array(), [8, 8, 510, 510]);
/// // One sum for each pair.
/// assert_eq!(math::sad2::<u16, _>(a, b).select::<2, 2>(0).to_array(), [8, 510]);
/// ```
#[op]
pub fn sad2<U: Elem, A: Register<Shape: Groups<2>>>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    sad2_any(a, b)
}

/// [`sad2`], limited to the range of `U`. CM: `cm_sad2<U>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([255u8, 255, 3, 4]), Vector::from_array([0u8, 0, 4, 3]));
/// assert_eq!(math::sad2_sat::<u8, _>(a, b).to_array(), [255, 255, 2, 2]);
/// ```
#[op]
pub fn sad2_sat<U: Elem, A: Register<Shape: Groups<2>>>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    sad2_sat_any(a, b)
}

/// [`sad2`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn sad2_any<U: Elem, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    group::<Sad2, U, 2, false, _, _>(a, b)
}

/// [`sad2_sat`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn sad2_sat_any<U: Elem, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    group::<Sad2, U, 2, true, _, _>(a, b)
}

/// The dot product of each group of four neighbours. CM: `cm_dp4<U>(a, b)`.
///
/// Elements 0 to 3 are a group, then 4 to 7, and so on, row by row; `cargo check` tests that the number of
/// elements is a multiple of 4. All elements of a group of the result are
/// `(a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])`. `b` has the shape of `a` or is a number.
///
/// The elements are of any type (in CM: floats). The product is computed in their common type, that of
/// `a * b`, and converted to `U`. Floats are rounded after each operation; integers wrap.
///
/// ```
/// use cm::prelude::*;
/// let pixel = Vector::from_array([200u8, 100, 50, 255]);
/// let weights = Vector::from_array([0.25f32, 0.5, 0.25, 0.0]);
/// assert_eq!(math::dp4::<u8, _>(pixel, weights).to_array(), [112; 4]);
/// assert_eq!(math::dp4::<i32, _>(pixel, pixel).to_array(), [117_525; 4]);
/// ```
#[op]
pub fn dp4<U: Elem, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp4_any(a, b)
}

/// [`dp4`], limited to the range of `U`. CM: `cm_dp4<U>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([10u8, 10, 10, 10]);
/// assert_eq!(math::dp4_sat::<u8, _>(x, x).to_array(), [255; 4]);
/// ```
#[op]
pub fn dp4_sat<U: Elem, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp4_sat_any(a, b)
}

/// [`dp4`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp4_any<U: Elem, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp4, U, 4, false, _, _>(a, b)
}

/// [`dp4_sat`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp4_sat_any<U: Elem, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp4, U, 4, true, _, _>(a, b)
}

/// `O` of two operands in their common type, as elements `U`.
#[op]
fn group<O, U, const W: usize, const SAT: bool, A, V>(a: A, b: V) -> A::With<U>
where
    O: GroupOp<V::Common, W>,
    U: Elem,
    A: Register,
    V: Beside<A>,
{
    a.group2::<O, V::Common, V::Elem, U, W, SAT>(b.beside())
}
