//! Whole registers as one number: sums, products, minima, maxima, and masks as bits.

use cm_macros::op;

use super::exact::{Within, of_reduced_sum};
use super::register::Register;
use crate::backend::Backend;
use crate::elem::{Elem, Int, Numeric};
use crate::limits::{IntegerMask, Shape};
use crate::ops::{Add, Max, Min, Mul};
use crate::registers::{IntoScalar, Scalar, Vector};

/// The sum of all elements, as a scalar `U`. CM: `cm_sum<T0>(x)`.
///
/// The sum of integers is exact and then wraps in `U`. Floats are added in their own type in a fixed order:
/// the elements from the largest power of two below their number on are added to the first elements, then the
/// upper half of these to the lower half, and so on. (CM does not define the order.)
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::sum::<i32, _>(Vector::from_array([200u8, 100, 50])).value(), 350);
/// let x = Matrix::from_array([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(math::sum::<f32, _>(x).value(), 21.0); // ((1 + 5) + 3) + ((2 + 6) + 4)
/// ```
#[op]
pub fn sum<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    summed::<U, false, _>(x)
}

/// [`sum`], clamped to the range of `U`, a float to 0..=1. CM: `cm_sum<T0>(x, SAT)`.
///
/// The whole sum is clamped, not each step. Sums of 64-bit integers wrap first.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::sum_sat::<u8, _>(Vector::from_array([200u8, 100, 50])).value(), 255);
/// assert_eq!(math::sum_sat::<u8, _>(Vector::from_array([200i16, 100, -250])).value(), 50);
/// ```
#[op]
pub fn sum_sat<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    summed::<U, true, _>(x)
}

/// The product of all elements, as a scalar `U`. CM: `cm_prod<T0>(x)`.
///
/// Integers are multiplied in the promoted type, or in 64 bits if `U` has 64 bits, and wrap there. Floats are
/// multiplied in the order of [`sum`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::prod::<i32, _>(Vector::from_array([20u8, 10, 50])).value(), 10_000);
/// ```
#[op]
pub fn prod<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    multiplied::<U, false, _>(x)
}

/// [`prod`], clamped to the range of `U`, a float to 0..=1, after it may have wrapped. CM:
/// `cm_prod<T0>(x, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::prod_sat::<u8, _>(Vector::from_array([20u8, 10, 50])).value(), 255);
/// ```
#[op]
pub fn prod_sat<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    multiplied::<U, true, _>(x)
}

/// The smallest element, converted to `U`. CM: `cm_reduced_min<T0>(x)`.
///
/// Two elements are compared like [`min`](super::min) does: NaN is ignored unless all elements are NaN, and for
/// zeros of both signs the result is the first in the order of [`sum`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::reduced_min::<i16, _>(Vector::from_array([20i16, -10, 50])).value(), -10);
/// ```
#[op]
pub fn reduced_min<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    x.reduce::<Min, A::Elem, U, false>()
}

/// [`reduced_min`], clamped to the range of `U`, a float to 0..=1. CM: `cm_reduced_min<T0>(x, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::reduced_min_sat::<u8, _>(Vector::from_array([20i16, -10, 50])).value(), 0);
/// ```
#[op]
pub fn reduced_min_sat<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    x.reduce::<Min, A::Elem, U, true>()
}

/// The largest element, converted to `U`. CM: `cm_reduced_max<T0>(x)`.
///
/// The rules are those of [`reduced_min`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::reduced_max::<i16, _>(Vector::from_array([20i16, -10, 50])).value(), 50);
/// ```
#[op]
pub fn reduced_max<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    x.reduce::<Max, A::Elem, U, false>()
}

/// [`reduced_max`], clamped to the range of `U`, a float to 0..=1. CM: `cm_reduced_max<T0>(x, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::reduced_max_sat::<u8, _>(Vector::from_array([20i16, -10, 500])).value(), 255);
/// ```
#[op]
pub fn reduced_max_sat<U: Numeric, A: Register>(x: A) -> Scalar<U, A::Backend> {
    x.reduce::<Max, A::Elem, U, true>()
}

/// A mask of at most 32 elements as a number: bit `k` is the lowest bit of element `k`. CM:
/// `cm_pack_mask(mask)`.
///
/// `cargo check` checks the number of elements. The elements are integers of any type (in CM: `ushort`), numbered
/// row by row. Bits without an element are 0.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([3i16, -1, 7, -2]);
/// assert_eq!(math::pack_mask(x.simd_lt(0)).value(), 0b1010);
/// ```
#[op]
pub fn pack_mask<A: Register<Elem: Int, Shape: IntegerMask>>(mask: A) -> Scalar<u32, A::Backend> {
    mask.pack_mask()
}

/// A number as a mask: element `k` is bit `k`, 0 or 1. CM: `cm_unpack_mask<ushort, N>(bits)`.
///
/// A mask has at most 32 elements, which `cargo check` enforces. The number is a host integer or a scalar of
/// integers.
///
/// ```
/// use cm::prelude::*;
/// let mask: Vector<u16, 4> = math::unpack_mask(0b1010);
/// assert_eq!(mask.to_array(), [0, 1, 0, 1]);
/// ```
#[op]
pub fn unpack_mask<const N: usize, B: Backend>(bits: impl IntoScalar<B, Elem: Int>) -> Vector<u16, N, B>
where
    Shape<1, N>: IntegerMask,
{
    Vector::from_reg(B::unpack_mask::<1, N>(bits.into_scalar().convert::<u32>().into_reg()))
}

#[op]
fn summed<U: Numeric, const SAT: bool, A: Register>(x: A) -> Scalar<U, A::Backend> {
    match const { of_reduced_sum(A::Elem::TYPE, U::TYPE, SAT) } {
        Within::Result => x.reduce::<Add, U, U, false>(),
        Within::Signed => x.reduce::<Add, i64, U, SAT>(),
        _ => x.reduce::<Add, <A::Elem as Numeric>::Common, U, SAT>(),
    }
}

#[op]
fn multiplied<U: Numeric, const SAT: bool, A: Register>(x: A) -> Scalar<U, A::Backend> {
    let wide = const { U::TYPE.bytes() == 8 && !U::TYPE.is_float() && !A::Elem::TYPE.is_float() };
    if wide && !SAT {
        x.reduce::<Mul, U, U, false>()
    } else if wide && const { A::Elem::TYPE.is_signed() } {
        x.reduce::<Mul, i64, U, true>()
    } else if wide {
        x.reduce::<Mul, u64, U, true>()
    } else {
        x.reduce::<Mul, <A::Elem as Numeric>::Common, U, SAT>()
    }
}
