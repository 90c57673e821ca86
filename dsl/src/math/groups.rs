//! Functions on groups of neighbouring elements.

use cm_macros::op;

use super::register::{Beside, Register, composed};
use crate::elem::{Dword, Elem, Int, Numeric};
use crate::limits::Groups;
use crate::ops::{Add, DotSs, DotSu, DotUs, DotUu, Dp2, Dp3, Dp4, Dph, GroupOp, Sad2};
use crate::registers::Matrix;

/// The sum of absolute differences of each pair of neighbours. CM: `cm_sad2<U>(a, b)`.
///
/// Elements 0 and 1 are a pair, then 2 and 3, and so on, row by row; `cargo check` enforces that the number of
/// elements is even. Both elements of a pair of the result are `|a[0] - b[0]| + |a[1] - b[1]|`; CM leaves the
/// second element undefined. `b` has the shape of `a` or is a number.
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
pub fn sad2<U: Numeric, A: Register<Shape: Groups<2>>>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    sad2_any(a, b)
}

/// [`sad2`], clamped to the range of `U`. CM: `cm_sad2<U>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([255u8, 255, 3, 4]), Vector::from_array([0u8, 0, 4, 3]));
/// assert_eq!(math::sad2_sat::<u8, _>(a, b).to_array(), [255, 255, 2, 2]);
/// ```
#[op]
pub fn sad2_sat<U: Numeric, A: Register<Shape: Groups<2>>>(
    a: A,
    b: impl Beside<A, Common: Int>,
) -> A::With<U> {
    sad2_sat_any(a, b)
}

/// [`sad2`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn sad2_any<U: Numeric, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    group::<Sad2, U, 2, false, _, _>(a, b)
}

/// [`sad2_sat`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn sad2_sat_any<U: Numeric, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    group::<Sad2, U, 2, true, _, _>(a, b)
}

/// The dot product of each group of four neighbours. CM: `cm_dp4<U>(a, b)`.
///
/// Elements 0 to 3 are a group, then 4 to 7, and so on, row by row; `cargo check` enforces that the number of
/// elements is a multiple of 4. All elements of a group of the result are
/// `(a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])`. `b` has the shape of `a` or is a number.
///
/// The elements can have any type (in CM: floats). The product is computed in their common type, that of
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
pub fn dp4<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp4_any(a, b)
}

/// [`dp4`], clamped to the range of `U`. CM: `cm_dp4<U>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([10u8, 10, 10, 10]);
/// assert_eq!(math::dp4_sat::<u8, _>(x, x).to_array(), [255; 4]);
/// ```
#[op]
pub fn dp4_sat<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp4_sat_any(a, b)
}

/// [`dp4`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp4_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp4, U, 4, false, _, _>(a, b)
}

/// [`dp4_sat`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp4_sat_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp4, U, 4, true, _, _>(a, b)
}

/// The dot product of the first two elements of each group of four neighbours. CM: `cm_dp2<U>(a, b)`.
///
/// All elements of a group of the result are `a[0] * b[0] + a[1] * b[1]`, in this order. Groups, elements and types
/// are as for [`dp4`].
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([1.0f32, 2.0, 3.0, 4.0]), Vector::from_array([10.0f32, 20.0, 30.0, 40.0]));
/// assert_eq!(math::dp2::<f32, _>(a, b).to_array(), [50.0; 4]);
/// ```
#[op]
pub fn dp2<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp2_any(a, b)
}

/// [`dp2`], clamped to the range of `U`. CM: `cm_dp2<U>(a, b, SAT)`.
#[op]
pub fn dp2_sat<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp2_sat_any(a, b)
}

/// [`dp2`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp2_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp2, U, 4, false, _, _>(a, b)
}

/// [`dp2_sat`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp2_sat_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp2, U, 4, true, _, _>(a, b)
}

/// The dot product of the first three elements of each group of four neighbours. CM: `cm_dp3<U>(a, b)`.
///
/// All elements of a group of the result are `(a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]`, in this order. Groups,
/// elements and types are as for [`dp4`].
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([1.0f32, 2.0, 3.0, 4.0]), Vector::from_array([10.0f32, 20.0, 30.0, 40.0]));
/// assert_eq!(math::dp3::<f32, _>(a, b).to_array(), [140.0; 4]);
/// ```
#[op]
pub fn dp3<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp3_any(a, b)
}

/// [`dp3`], clamped to the range of `U`. CM: `cm_dp3<U>(a, b, SAT)`.
#[op]
pub fn dp3_sat<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dp3_sat_any(a, b)
}

/// [`dp3`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp3_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp3, U, 4, false, _, _>(a, b)
}

/// [`dp3_sat`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dp3_sat_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dp3, U, 4, true, _, _>(a, b)
}

/// The homogeneous dot product of each group of four neighbours. CM: `cm_dph<U>(a, b)`.
///
/// All elements of a group of the result are `(a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + b[3])`, in this order.
/// Groups, elements and types are as for [`dp4`].
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([1.0f32, 2.0, 3.0, 4.0]), Vector::from_array([10.0f32, 20.0, 30.0, 40.0]));
/// assert_eq!(math::dph::<f32, _>(a, b).to_array(), [180.0; 4]);
/// ```
#[op]
pub fn dph<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dph_any(a, b)
}

/// [`dph`], clamped to the range of `U`. CM: `cm_dph<U>(a, b, SAT)`.
#[op]
pub fn dph_sat<U: Numeric, A: Register<Shape: Groups<4>>>(a: A, b: impl Beside<A>) -> A::With<U> {
    dph_sat_any(a, b)
}

/// [`dph`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dph_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dph, U, 4, false, _, _>(a, b)
}

/// [`dph_sat`] without a bound. The number of elements is checked when the kernel is recorded.
#[op]
pub fn dph_sat_any<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    group::<Dph, U, 4, true, _, _>(a, b)
}

/// The sum of absolute differences of each pair of neighbours, plus `acc`. CM:
/// `cm_sada2<U>(a, b, acc)`.
///
/// `a` and `b` are bytes or words (in CM: bytes), `acc` is an integer of up to 32 bits or a register of these.
/// The sum is exact and then wraps in `U`. Every element is the sum of its pair and its own `acc`.
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([10u8, 0, 255, 255]), Vector::from_array([13u8, 5, 0, 0]));
/// assert_eq!(math::sada2::<u16, _>(a, b, 100).to_array(), [108, 108, 610, 610]);
/// ```
#[op]
pub fn sada2<U: Numeric, A: Register<Shape: Groups<2>>>(
    a: A,
    b: impl Beside<A, Common = i32>,
    acc: impl Beside<A, Elem: Int>,
) -> A::With<U> {
    accumulated::<U, false, _, _, _>(a, b, acc)
}

/// [`sada2`], clamped to the range of `U`. CM: `cm_sada2<U>(a, b, acc, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([10u8, 0, 255, 255]), Vector::from_array([13u8, 5, 0, 0]));
/// assert_eq!(math::sada2_sat::<u8, _>(a, b, 100).to_array(), [108, 108, 255, 255]);
/// ```
#[op]
pub fn sada2_sat<U: Numeric, A: Register<Shape: Groups<2>>>(
    a: A,
    b: impl Beside<A, Common = i32>,
    acc: impl Beside<A, Elem: Int>,
) -> A::With<U> {
    accumulated::<U, true, _, _, _>(a, b, acc)
}

#[op]
fn accumulated<U, const SAT: bool, A, V, W>(a: A, b: V, acc: W) -> A::With<U>
where
    U: Numeric,
    A: Register,
    V: Beside<A, Common = i32>,
    W: Beside<A, Elem: Int>,
{
    // Distances of bytes are words.
    if const { A::Elem::TYPE.bytes() == 1 && V::Elem::TYPE.bytes() == 1 } {
        let sums = a.group2::<Sad2, i32, V::Elem, u16, 2, false>(b.beside());
        return a.composed::<Accumulate<U, SAT>, _, _>(sums, acc.beside());
    }
    let sums = a.group2::<Sad2, i32, V::Elem, i32, 2, false>(b.beside());
    a.composed::<Accumulate<U, SAT>, _, _>(sums, acc.beside())
}

/// The sum of the last two operands, exact before it is converted to `U`.
struct Accumulate<U, const SAT: bool>(std::marker::PhantomData<U>);

composed! {
    [T: Numeric, S: Int, W: Int, U: Numeric, const SAT: bool] Accumulate<U, SAT>: |_: T, sums: S, acc: W| -> U {
        let (sums, acc) = (sums.into_reg(), acc.into_reg());
        Matrix::from_reg(
            if const { (SAT && W::TYPE.bytes() > 2) || U::TYPE.bytes() == 8 || U::TYPE.is_float() } {
                B::map2::<Add, i64, S, W, U, SAT, R, C>(sums, acc)
            } else {
                B::map2::<Add, i32, S, W, U, SAT, R, C>(sums, acc)
            },
        )
    }
}

/// `acc` plus the dot product of the four bytes of each dword of `a` and `b`. CM: `cm_dp4a<U>(acc, a, b)`.
///
/// The elements of `a` and `b` are `u32` with unsigned bytes or `i32` with signed bytes. `b` and `acc` have the shape
/// of `a` or are numbers; `acc` is an integer of up to 32 bits. The sum is exact and then wraps in `U`. Every
/// generation supports it (CM: from Gen12 on).
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([0x0102_0304u32]);
/// assert_eq!(math::dp4a::<i32, _>(1000, a, 0x0a0a_0a0au32).to_array(), [1100]);
/// assert_eq!(math::dp4a::<i32, _>(0, a, 0x00ff_0000i32).to_array(), [-2]);
/// ```
#[op]
pub fn dp4a<U: Numeric, A: Register<Elem: Dword>>(
    acc: impl Beside<A, Elem: Int>,
    a: A,
    b: impl Beside<A, Elem: Dword>,
) -> A::With<U> {
    bytes::<U, false, _, _, _>(acc, a, b)
}

/// [`dp4a`], clamped to the range of `U`. CM: `cm_dp4a<U>(acc, a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::dp4a_sat::<u8, _>(0, Vector::from_array([0x0102_0304u32]), 0x0a0a_64ffu32).to_array(), [255]);
/// ```
#[op]
pub fn dp4a_sat<U: Numeric, A: Register<Elem: Dword>>(
    acc: impl Beside<A, Elem: Int>,
    a: A,
    b: impl Beside<A, Elem: Dword>,
) -> A::With<U> {
    bytes::<U, true, _, _, _>(acc, a, b)
}

#[op]
fn bytes<U, const SAT: bool, A, V, W>(acc: W, a: A, b: V) -> A::With<U>
where
    U: Numeric,
    A: Register<Elem: Dword>,
    V: Beside<A, Elem: Dword>,
    W: Beside<A, Elem: Int>,
{
    let dot = match const { (A::Elem::TYPE.is_signed(), V::Elem::TYPE.is_signed()) } {
        (false, false) => b.second_of::<DotUu, i32, i32, false>(a),
        (false, true) => b.second_of::<DotUs, i32, i32, false>(a),
        (true, false) => b.second_of::<DotSu, i32, i32, false>(a),
        (true, true) => b.second_of::<DotSs, i32, i32, false>(a),
    };
    a.composed::<Accumulate<U, SAT>, _, _>(dot, acc.beside())
}

/// `O` of two operands in their common type, as elements `U`.
#[op]
fn group<O, U, const W: usize, const SAT: bool, A, V>(a: A, b: V) -> A::With<U>
where
    O: GroupOp<V::Common, W>,
    U: Numeric,
    A: Register,
    V: Beside<A>,
{
    a.group2::<O, V::Common, V::Elem, U, W, SAT>(b.beside())
}
