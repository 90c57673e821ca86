//! Built-in functions on registers. CM: the `cm_*` functions.
//!
//! The caller chooses the element type of the result: `avg::<u8, _>(a, b)`, as in CM's `cm_avg<uchar>(a, b)`,
//! or by the type of the variable that receives it. Functions whose names end in `_sat` limit the result to
//! the range of that type, like CM's flag `SAT`; the others wrap.

mod groups;
mod register;

pub use groups::{dp4, dp4_any, dp4_sat, dp4_sat_any, sad2, sad2_any, sad2_sat, sad2_sat_any};
pub use register::{Beside, Register};

use cm_macros::op;

use crate::elem::{Elem, Int};
use crate::ops::{Avg, BinaryOp};

/// The average of integers, rounded up: `(a + b + 1) >> 1`, without overflow. CM: `cm_avg<T0>(a, b)`.
///
/// `a` is a matrix, a vector or a scalar; `b` has the same shape or is a number. The average is computed in
/// the common type of both operands, that of `a + b`, and converted to `U`, which wraps.
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([0u8, 1, 255, 255]), Vector::from_array([0u8, 2, 254, 255]));
/// assert_eq!(math::avg::<u8, _>(a, b).to_array(), [0, 2, 255, 255]);
/// let largest: Vector<i32, 1> = math::avg(Vector::from_array([i32::MAX]), i32::MAX);
/// assert_eq!(largest.to_array(), [i32::MAX]);
/// ```
#[op]
pub fn avg<U: Elem, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    binary::<Avg, U, false, _, _>(a, b)
}

/// [`avg`], limited to the range of `U`. CM: `cm_avg<T0>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([300i16, -7]);
/// assert_eq!(math::avg_sat::<u8, _>(a, a).to_array(), [255, 0]);
/// ```
#[op]
pub fn avg_sat<U: Elem, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    binary::<Avg, U, true, _, _>(a, b)
}

/// `O` of two operands in their common type, as elements `U`.
#[op]
fn binary<O, U, const SAT: bool, A, V>(a: A, b: V) -> A::With<U>
where
    O: BinaryOp<V::Common>,
    U: Elem,
    A: Register,
    V: Beside<A>,
{
    a.map2::<O, V::Common, V::Elem, U, SAT>(b.beside())
}
