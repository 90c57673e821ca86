//! Functions that are composed of operators: the same bits on every device.

use cm_macros::op;

use super::register::{Beside, Register, composed, of_one};
use crate::backend::{binary, number};
use crate::elem::Single;
use crate::ops::{self, Fma, Rndd};
use crate::registers::{IntoScalar, Matrix};

/// The fraction: `x` minus the next lower integer. CM: `cm_frc(x)`.
///
/// The elements are `f16` or `f32`. For negative numbers so close to 0 that the result rounds to 1 it is 1; for
/// infinity it is NaN.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::frc(Vector::from_array([2.75f32, -0.25])).to_array(), [0.75, 0.75]);
/// ```
#[op]
pub fn frc<A: Register<Elem: Single>>(x: A) -> A::With<A::Elem> {
    of_one::<Fraction, _>(x)
}

struct Fraction;

composed! {
    [T: Single] Fraction: |x: T, _: T, _: T| -> T {
        let x = x.into_reg();
        let whole = B::map1::<Rndd, T, T, T, false, R, C>(x);
        Matrix::from_reg(binary::<B, ops::Sub, T, R, C>(x, whole))
    }
}

/// `a * b + c` of floats, rounded after the product and after the sum. CM: `cm_mad(a, b, c)`.
///
/// The operands are all `f16` or all `f32`; `b` and `c` have the shape of `a` or are numbers. Hardware may keep the
/// product exact; here it is rounded on every device. [`fma`] rounds once. In plain Rust write literals with their type: `2.0f32`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::mad(Vector::from_array([2.0f32, 3.0]), 4.0f32, 1.0f32).to_array(), [9.0, 13.0]);
/// ```
#[op]
pub fn mad<A>(a: A, b: impl Beside<A, Elem = A::Elem>, c: impl Beside<A, Elem = A::Elem>) -> A::With<A::Elem>
where
    A: Register<Elem: Single>,
{
    a.composed::<MultiplyAdd, _, _>(b.beside(), c.beside())
}

struct MultiplyAdd;

composed! {
    [T: Single] MultiplyAdd: |a: T, b: T, c: T| -> T {
        let product = binary::<B, ops::Mul, T, R, C>(a.into_reg(), b.into_reg());
        Matrix::from_reg(binary::<B, ops::Add, T, R, C>(product, c.into_reg()))
    }
}

/// `a * b + c` of floats, rounded once, at the end. CM: `a * b + c`, of which CM's compiler makes one `mad`.
///
/// The operands are all `f16` or all `f32`; `b` and `c` have the shape of `a` or are numbers. It is one instruction on GPUs,
/// and for `f32` on CPUs with AVX2; other CPUs call a function for each `f32`. For `f16` a CPU takes about ten. The operators
/// `*` and `+` are two instructions, each of which rounds. In plain Rust write literals with their type: `2.0f32`.
///
/// ```
/// use cm::prelude::*;
/// let x = Vector::from_array([1.0f32 + f32::EPSILON, 3.0]);
/// let c = Vector::from_array([-1.0f32 - 2.0 * f32::EPSILON, 1.0]);
/// assert_eq!(math::fma(x, x, c).to_array(), [f32::EPSILON * f32::EPSILON, 10.0]);
/// assert_eq!(math::mad(x, x, c).to_array(), [0.0, 10.0]);
/// ```
#[op]
pub fn fma<A>(a: A, b: impl Beside<A, Elem = A::Elem>, c: impl Beside<A, Elem = A::Elem>) -> A::With<A::Elem>
where
    A: Register<Elem: Single>,
{
    a.composed::<Fused, _, _>(b.beside(), c.beside())
}

struct Fused;

composed! {
    [T: Single] Fused: |a: T, b: T, c: T| -> T {
        Matrix::from_reg(B::map3::<Fma, T, T, T, T, T, false, R, C>(a.into_reg(), b.into_reg(), c.into_reg()))
    }
}

/// Linear interpolation from `c` to `b` by `a`: `b * a + c * (1 - a)`. CM: `cm_lrp(a, b, c)`.
///
/// The operands are all `f16` or all `f32`; `b` and `c` have the shape of `a` or are numbers. Every step is
/// rounded. In plain Rust write literals with their type: `2.0f32`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::lrp(Vector::from_array([0.0f32, 0.25, 1.0]), 8.0f32, 4.0f32).to_array(), [4.0, 5.0, 8.0]);
/// ```
#[op]
pub fn lrp<A>(a: A, b: impl Beside<A, Elem = A::Elem>, c: impl Beside<A, Elem = A::Elem>) -> A::With<A::Elem>
where
    A: Register<Elem: Single>,
{
    a.composed::<Interpolate, _, _>(b.beside(), c.beside())
}

struct Interpolate;

composed! {
    [T: Single] Interpolate: |a: T, b: T, c: T| -> T {
        let a = a.into_reg();
        let rest = binary::<B, ops::Sub, T, R, C>(number::<B, T, R, C>(T::cast_from(1.0f32)), a);
        let first = binary::<B, ops::Mul, T, R, C>(b.into_reg(), a);
        let second = binary::<B, ops::Mul, T, R, C>(c.into_reg(), rest);
        Matrix::from_reg(binary::<B, ops::Add, T, R, C>(first, second))
    }
}

/// A line: `p * y + q`. CM: `cm_line(p, q, y)`; in the form with a vector `x` of 4 elements, `p` is the first and `q`
/// the last element.
///
/// The operands are all `f16` or all `f32`; `p` and `q` are numbers or scalars. Every step is rounded.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::line(2.0f32, 1.0f32, Vector::from_array([0.0f32, 3.0])).to_array(), [1.0, 7.0]);
/// ```
#[op]
pub fn line<A, P, Q>(p: P, q: Q, y: A) -> A::With<A::Elem>
where
    A: Register<Elem: Single>,
    P: IntoScalar<A::Backend, Elem = A::Elem> + Beside<A, Elem = A::Elem>,
    Q: IntoScalar<A::Backend, Elem = A::Elem> + Beside<A, Elem = A::Elem>,
{
    y.composed::<MultiplyAdd, _, _>(p.beside(), q.beside())
}

/// A plane: `plane[0] * a + plane[1] * b + plane[3]`. CM: `cm_pln(plane, a, b)`, which skips element 2 too.
///
/// The operands are all `f16` or all `f32`; `b` has the shape of `a` or is a number. Every step is rounded, from
/// left to right.
///
/// ```
/// use cm::prelude::*;
/// let (a, b) = (Vector::from_array([1.0f32, 2.0]), Vector::from_array([10.0f32, 20.0]));
/// assert_eq!(math::pln([2.0f32, 3.0, 0.0, 0.5], a, b).to_array(), [32.5, 64.5]);
/// ```
#[op]
pub fn pln<A, P>(plane: [P; 4], a: A, b: impl Beside<A, Elem = A::Elem>) -> A::With<A::Elem>
where
    A: Register<Elem: Single>,
    P: Beside<A, Elem = A::Elem>,
{
    let [p, q, _, r] = plane;
    let b = a.composed::<Product, _, _>(b.beside(), q.beside());
    let both = a.composed::<MultiplyAdd, _, _>(p.beside(), b);
    a.composed::<Sum, _, _>(both, r.beside())
}

/// The product of two operands.
struct Product;

composed! {
    [T: Single] Product: |_: T, b: T, c: T| -> T {
        Matrix::from_reg(binary::<B, ops::Mul, T, R, C>(b.into_reg(), c.into_reg()))
    }
}

/// The sum of two operands.
struct Sum;

composed! {
    [T: Single] Sum: |_: T, b: T, c: T| -> T {
        Matrix::from_reg(binary::<B, ops::Add, T, R, C>(b.into_reg(), c.into_reg()))
    }
}
