//! Sums, products, averages and shifts with the element type of the result.

use cm_macros::op;

use super::exact::{Within, of_product, of_shift, of_sum};
use super::register::{Beside, Register, composed};
use crate::elem::{Elem, Int, Numeric};
use crate::ops::{Add, AddSat, Avg, BinaryOp, Convert, Mul, Shl, ShlSat, Shr, Sub, SubSat};
use crate::registers::Matrix;

/// The sum `a + b` as elements `U`. CM: `cm_add<T0>(a, b)`.
///
/// `a` is a matrix, a vector or a scalar; `b` has the same shape or is a number. The elements can have any
/// type. The sum of integers is exact and then wraps in `U`: `add::<i64, _>` of `i32` elements does not
/// overflow. If one operand has float elements, the sum is computed in the common type, like `a + b`.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([200u8, 255]);
/// assert_eq!(math::add::<u8, _>(a, a).to_array(), [144, 254]);
/// assert_eq!(math::add::<i64, _>(Vector::from_array([i32::MAX]), i32::MAX).to_array(), [4_294_967_294]);
/// ```
#[op]
pub fn add<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    sum::<Add, AddSat, U, false, _, _>(a, b)
}

/// [`add`], clamped to the range of `U`, floats to 0..=1. CM: `cm_add<T0>(a, b, SAT)`.
///
/// The exact sum of integers is clamped. Sums of 64-bit integers are first clamped to the range of their
/// common type.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([200u8, 255]);
/// assert_eq!(math::add_sat::<u8, _>(a, a).to_array(), [255, 255]);
/// assert_eq!(math::add_sat::<u8, _>(a, -210).to_array(), [0, 45]);
/// assert_eq!(math::add_sat::<i32, _>(Vector::from_array([i32::MAX]), 1).to_array(), [i32::MAX]);
/// ```
#[op]
pub fn add_sat<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    sum::<Add, AddSat, U, true, _, _>(a, b)
}

/// The difference `a - b` as elements `U`. CM: `cm_add<T0>(a, -b)`.
///
/// Operands, exactness and wrapping are as for [`add`].
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([10u8, 20]);
/// assert_eq!(math::sub::<i16, _>(a, 15).to_array(), [-5, 5]);
/// assert_eq!(math::sub::<u8, _>(a, 15).to_array(), [251, 5]);
/// ```
#[op]
pub fn sub<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    sum::<Sub, SubSat, U, false, _, _>(a, b)
}

/// [`sub`], clamped to the range of `U`, floats to 0..=1. CM: `cm_add<T0>(a, -b, SAT)`.
///
/// The exact difference of integers is clamped. Differences of 64-bit integers are first clamped to the range
/// of their common type.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([10u8, 20]);
/// assert_eq!(math::sub_sat::<u8, _>(a, Vector::from_array([15u8, 5])).to_array(), [0, 15]);
/// ```
#[op]
pub fn sub_sat<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    sum::<Sub, SubSat, U, true, _, _>(a, b)
}

/// The product `a * b` as elements `U`. CM: `cm_mul<T0>(a, b)`.
///
/// Operands are as for [`add`]. The product of integers is exact and then wraps in `U`; products of 64-bit
/// integers wrap in 64 bits.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([100_000i32, -1]);
/// assert_eq!(math::mul::<i64, _>(a, a).to_array(), [10_000_000_000, 1]);
/// assert_eq!(math::mul::<u8, _>(Vector::from_array([16u8]), 17).to_array(), [16]);
/// ```
#[op]
pub fn mul<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    product::<U, false, _, _>(a, b)
}

/// [`mul`], clamped to the range of `U`, floats to 0..=1. CM: `cm_mul<T0>(a, b, SAT)`.
///
/// The exact product of integers of up to 32 bits is clamped (CM: up to 16 bits). Products of 64-bit integers
/// first wrap in 64 bits.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([100u8, 2]);
/// assert_eq!(math::mul_sat::<u8, _>(a, 3).to_array(), [255, 6]);
/// let a = Vector::from_array([65_536i32, -65_536]);
/// assert_eq!(math::mul_sat::<i32, _>(a, 65_536).to_array(), [i32::MAX, i32::MIN]);
/// ```
#[op]
pub fn mul_sat<U: Numeric, A: Register>(a: A, b: impl Beside<A>) -> A::With<U> {
    product::<U, true, _, _>(a, b)
}

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
pub fn avg<U: Numeric, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    common::<Avg, U, false, _, _>(a, b)
}

/// [`avg`], clamped to the range of `U`. CM: `cm_avg<T0>(a, b, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([300i16, -7]);
/// assert_eq!(math::avg_sat::<u8, _>(a, a).to_array(), [255, 0]);
/// ```
#[op]
pub fn avg_sat<U: Numeric, A: Register>(a: A, b: impl Beside<A, Common: Int>) -> A::With<U> {
    common::<Avg, U, true, _, _>(a, b)
}

/// `a << count` as elements `U`. CM: `cm_shl<T0>(a, count)`.
///
/// `a` is a matrix, a vector or a scalar of integers; `count` has the same shape or is a number. The low 5
/// bits of the count are used, or the low 6 bits if `a` or `U` has 64 bits. The result wraps in `U`.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([3u8, 255]);
/// assert_eq!(math::shl::<u8, _>(a, 4).to_array(), [48, 240]);
/// assert_eq!(math::shl::<u64, _>(a, 40).to_array(), [3 << 40, 255 << 40]);
/// ```
#[op]
pub fn shl<U: Numeric, A>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U>
where
    A: Register<Elem: Int<Widened: Int>>,
{
    shifted::<U, false, _, _>(a, count)
}

/// [`shl`], where the exact product with the power of two is clamped to the range of `U`. CM:
/// `cm_shl<T0>(a, count, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// let a = Vector::from_array([3i16, -300, 9]);
/// assert_eq!(math::shl_sat::<i16, _>(a, 7).to_array(), [384, -32768, 1152]);
/// assert_eq!(math::shl_sat::<u8, _>(a, 5).to_array(), [96, 0, 255]);
/// ```
#[op]
pub fn shl_sat<U: Numeric, A>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U>
where
    A: Register<Elem: Int<Widened: Int>>,
{
    shifted::<U, true, _, _>(a, count)
}

/// `a >> count` as elements `U`: arithmetic if `a` is signed, logical if `a` is unsigned. CM:
/// `cm_shr<T0>(a, count)`.
///
/// `a` is a matrix, a vector or a scalar of integers; `count` has the same shape or is a number. `a` is
/// promoted first, so the low 5 bits of the count are used, or the low 6 bits if `a` has 64 bits. The result
/// wraps in `U`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::shr::<i8, _>(Vector::from_array([-100i16, 100]), 4).to_array(), [-7, 6]);
/// ```
#[op]
pub fn shr<U: Numeric, A>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U>
where
    A: Register<Elem: Int<Widened: Int>>,
{
    promoted::<U, false, _, _>(a, count)
}

/// [`shr`], clamped to the range of `U`. CM: `cm_shr<T0>(a, count, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::shr_sat::<u8, _>(Vector::from_array([-100i16, 9000]), 4).to_array(), [0, 255]);
/// ```
#[op]
pub fn shr_sat<U: Numeric, A>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U>
where
    A: Register<Elem: Int<Widened: Int>>,
{
    promoted::<U, true, _, _>(a, count)
}

/// `a >> count` as an arithmetic shift, also for unsigned elements. CM: `cm_asr<T0>(a, count)`.
///
/// `a` is promoted and treated as `i32`, 64-bit elements as `i64`. Counts and the result are as for [`shr`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::asr::<u32, _>(Vector::from_array([0x8000_0000u32]), 4).to_array(), [0xf800_0000]);
/// ```
#[op]
pub fn asr<U: Numeric, A: Register<Elem: Int>>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U> {
    arithmetic::<U, false, _, _>(a, count)
}

/// [`asr`], clamped to the range of `U`. CM: `cm_asr<T0>(a, count, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::asr_sat::<u16, _>(Vector::from_array([u32::MAX, 0x7fff_ffff]), 4).to_array(), [0, 65535]);
/// ```
#[op]
pub fn asr_sat<U: Numeric, A: Register<Elem: Int>>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U> {
    arithmetic::<U, true, _, _>(a, count)
}

/// `a >> count` as a logical shift, also for signed elements. CM: `cm_lsr<T0>(a, count)`.
///
/// `a` is promoted and treated as `u32`, 64-bit elements as `u64`. Counts and the result are as for [`shr`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::lsr::<u32, _>(Vector::from_array([-1i32, 16]), 4).to_array(), [0x0fff_ffff, 1]);
/// ```
#[op]
pub fn lsr<U: Numeric, A: Register<Elem: Int>>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U> {
    logical::<U, false, _, _>(a, count)
}

/// [`lsr`], clamped to the range of `U`. CM: `cm_lsr<T0>(a, count, SAT)`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::lsr_sat::<u16, _>(Vector::from_array([-1i32, 16]), 4).to_array(), [65535, 1]);
/// ```
#[op]
pub fn lsr_sat<U: Numeric, A: Register<Elem: Int>>(a: A, count: impl Beside<A, Elem: Int>) -> A::With<U> {
    logical::<U, true, _, _>(a, count)
}

/// `O` of two operands in their common type, as elements `U`.
#[op]
pub(super) fn common<O, U, const SAT: bool, A, V>(a: A, b: V) -> A::With<U>
where
    O: BinaryOp<V::Common>,
    U: Numeric,
    A: Register,
    V: Beside<A>,
{
    b.second_of::<O, V::Common, U, SAT>(a)
}

/// A sum or difference, which `L` clamps.
#[op]
fn sum<O, L, U, const SAT: bool, A, V>(a: A, b: V) -> A::With<U>
where
    O: BinaryOp<V::Common> + BinaryOp<U> + BinaryOp<i64>,
    L: BinaryOp<V::Common> + BinaryOp<U>,
    U: Numeric,
    A: Register,
    V: Beside<A>,
{
    match const { of_sum(A::Elem::TYPE, V::Elem::TYPE, U::TYPE, SAT) } {
        Within::Result if SAT => b.second_of::<L, U, U, false>(a),
        Within::Result => b.second_of::<O, U, U, false>(a),
        Within::Signed => b.second_of::<O, i64, U, SAT>(a),
        Within::CommonLimited => b.second_of::<L, V::Common, U, SAT>(a),
        _ => b.second_of::<O, V::Common, U, SAT>(a),
    }
}

#[op]
fn product<U: Numeric, const SAT: bool, A: Register, V: Beside<A>>(a: A, b: V) -> A::With<U> {
    match const { of_product(A::Elem::TYPE, V::Elem::TYPE, U::TYPE, SAT) } {
        Within::Result => b.second_of::<Mul, U, U, false>(a),
        Within::Signed => b.second_of::<Mul, i64, U, SAT>(a),
        Within::Unsigned => b.second_of::<Mul, u64, U, SAT>(a),
        _ => b.second_of::<Mul, V::Common, U, SAT>(a),
    }
}

#[op]
fn shifted<U, const SAT: bool, A, V>(a: A, count: V) -> A::With<U>
where
    U: Numeric,
    A: Register<Elem: Int<Widened: Int>>,
    V: Beside<A, Elem: Int>,
{
    macro_rules! in_type {
        ($t:ty) => {
            if SAT {
                count.second_of::<ShlSat, $t, U, true>(a)
            } else {
                count.second_of::<Shl, $t, U, false>(a)
            }
        };
    }
    match const { of_shift(<A::Elem as Elem>::Widened::TYPE, U::TYPE, SAT) } {
        // The same bits for both signs, or an `i64` for clamped results.
        Within::Result if U::TYPE.bytes() == 8 && (U::TYPE.is_signed() || !SAT) => in_type!(i64),
        Within::Result if U::TYPE.bytes() == 8 => in_type!(u64),
        Within::Unsigned if U::TYPE.bytes() == 8 => {
            a.composed::<ShiftLimited<u64, U>, _, _>(count.beside(), count.beside())
        }
        Within::Unsigned => a.composed::<ShiftLimited<u32, U>, _, _>(count.beside(), count.beside()),
        _ => in_type!(<A::Elem as Elem>::Widened),
    }
}

/// Signed numbers shifted to the left and clamped to unsigned numbers `P`, as elements `U`.
struct ShiftLimited<P, U>(std::marker::PhantomData<(P, U)>);

composed! {
    [P: Int, U: Numeric, T: Numeric, V: Int] ShiftLimited<P, U>: |a: T, count: V, _: V| -> U {
        let a = B::map1::<Convert, T, T, P, true, R, C>(a.into_reg());
        Matrix::from_reg(B::map2::<ShlSat, P, P, V, U, true, R, C>(a, count.into_reg()))
    }
}

#[op]
fn promoted<U, const SAT: bool, A, V>(a: A, count: V) -> A::With<U>
where
    U: Numeric,
    A: Register<Elem: Int<Widened: Int>>,
    V: Beside<A, Elem: Int>,
{
    count.second_of::<Shr, <A::Elem as Elem>::Widened, U, SAT>(a)
}

#[op]
fn arithmetic<U, const SAT: bool, A, V>(a: A, count: V) -> A::With<U>
where
    U: Numeric,
    A: Register<Elem: Int>,
    V: Beside<A, Elem: Int>,
{
    if A::Elem::TYPE.bytes() == 8 {
        count.second_of::<Shr, i64, U, SAT>(a)
    } else {
        count.second_of::<Shr, i32, U, SAT>(a)
    }
}

#[op]
fn logical<U, const SAT: bool, A, V>(a: A, count: V) -> A::With<U>
where
    U: Numeric,
    A: Register<Elem: Int>,
    V: Beside<A, Elem: Int>,
{
    if A::Elem::TYPE.bytes() == 8 {
        count.second_of::<Shr, u64, U, SAT>(a)
    } else {
        count.second_of::<Shr, u32, U, SAT>(a)
    }
}
