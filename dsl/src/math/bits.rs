//! Bits of integers: counts, fields, rotations, carries and quotients.

use cm_macros::op;

use super::register::{Beside, Register, composed};
use crate::backend::{Backend, binary, convert, number};
use crate::elem::{Dword, Int};
use crate::ops::{
    self, And, BfExtract, BfReverse, Cbit, Div, Fbh, Fbl, Lzd, Mul, Not, Or, Rem, Rol, Ror, Shl, Shr,
};
use crate::registers::Matrix;

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident by $op:ident;)*) => {$(
        $(#[$doc])*
        #[op]
        pub fn $name<A: Register<Elem: Dword>>(x: A) -> A::With<u32> {
            x.map1::<$op, A::Elem, u32, false>()
        }
    )*};
}

counts! {
    /// The number of zeros above the highest set bit; 32 for 0. CM: `cm_lzd(x)`.
    ///
    /// The elements are `u32` or `i32`. Convert narrower elements first, to an unsigned type to get leading zeros.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(math::lzd(Vector::from_array([1u32, 0, u32::MAX])).to_array(), [31, 32, 0]);
    /// ```
    lzd by Lzd;
    /// The number of set bits. CM: `cm_cbit(x)`.
    ///
    /// The elements are `u32` or `i32`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(math::cbit(Vector::from_array([0b1011i32, -1])).to_array(), [3, 32]);
    /// ```
    cbit by Cbit;
    /// The number of the lowest set bit, counted from 0; `u32::MAX` for 0. CM: `cm_fbl(x)`.
    ///
    /// The elements are `u32` or `i32` (in CM: `uint`).
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(math::fbl(Vector::from_array([0b1000u32, 0])).to_array(), [3, u32::MAX]);
    /// ```
    fbl by Fbl;
    /// The number of bits above the highest bit that differs from the sign. CM: `cm_fbh(x)`.
    ///
    /// For `u32` elements that is the highest set bit, for negative `i32` the highest clear bit. If there is none, as
    /// in 0 and -1, the result is `u32::MAX`.
    ///
    /// ```
    /// use cm::prelude::*;
    /// assert_eq!(math::fbh(Vector::from_array([1u32, 0])).to_array(), [31, u32::MAX]);
    /// assert_eq!(math::fbh(Vector::from_array([-2i32, -1])).to_array(), [31, u32::MAX]);
    /// ```
    fbh by Fbh;
}

/// The bits in reverse order. CM: `cm_bf_reverse(x)`.
///
/// The elements are `u32` or `i32` (in CM: `uint`).
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::bf_reverse(Vector::from_array([1u32, 0xff])).to_array(), [1 << 31, 0xff00_0000]);
/// ```
#[op]
pub fn bf_reverse<A: Register<Elem: Dword>>(x: A) -> A::With<A::Elem> {
    x.map1::<BfReverse, A::Elem, A::Elem, false>()
}

/// The `width` bits of `x` from bit `offset` on. CM: `cm_bf_extract(width, offset, x)`.
///
/// The elements are `u32` or `i32`; a field of an `i32` is sign-extended. `width` and `offset` are numbers or have
/// the shape of `x`; their low 5 bits are used. A field of no bits is 0. A field ends at bit 31.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::bf_extract(4, 8, Vector::from_array([0x0a50u32])).to_array(), [0xa]);
/// assert_eq!(math::bf_extract(4, 8, Vector::from_array([0x0a50i32])).to_array(), [-6]);
/// ```
#[op]
pub fn bf_extract<A>(
    width: impl Beside<A, Elem: Int>,
    offset: impl Beside<A, Elem: Int>,
    x: A,
) -> A::With<A::Elem>
where
    A: Register<Elem: Dword>,
{
    extracted(width, offset, x)
}

#[op]
fn extracted<A, W, O>(width: W, offset: O, x: A) -> A::With<A::Elem>
where
    A: Register<Elem: Dword>,
    W: Beside<A, Elem: Int>,
    O: Beside<A, Elem: Int>,
{
    x.map3::<BfExtract, A::Elem, O::Elem, W::Elem, A::Elem, false>(offset.beside(), width.beside())
}

/// `x` with `width` bits from bit `offset` on replaced by the low bits of `value`. CM:
/// `cm_bf_insert(width, offset, value, x)`.
///
/// The elements are `u32` or `i32`. The other arguments are numbers or have the shape of `x`; the low 5 bits of
/// `width` and `offset` are used. Bits beyond bit 31 are dropped.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::bf_insert(4, 8, 0x3c, Vector::from_array([0xffffu32])).to_array(), [0xfcff]);
/// ```
#[op]
pub fn bf_insert<A>(
    width: impl Beside<A, Elem: Int>,
    offset: impl Beside<A, Elem: Int>,
    value: impl Beside<A, Elem: Int>,
    x: A,
) -> A::With<A::Elem>
where
    A: Register<Elem: Dword>,
{
    inserted(width, offset, value, x)
}

#[op]
fn inserted<A, W, O, V>(width: W, offset: O, value: V, x: A) -> A::With<A::Elem>
where
    A: Register<Elem: Dword>,
    W: Beside<A, Elem: Int>,
    O: Beside<A, Elem: Int>,
    V: Beside<A, Elem: Int>,
{
    let offset = offset.beside();
    let mask = x.composed::<FieldMask, _, _>(width.beside(), offset);
    let value = x.composed::<ShiftedSecond, _, _>(value.beside(), offset);
    x.composed::<Replaced, _, _>(value, mask)
}

/// The mask of a field: `width` bits from `offset` on.
struct FieldMask;

composed! {
    [T: Dword, W: Int, O: Int] FieldMask: |_: T, width: W, offset: O| -> T {
        let one = number::<B, T, R, C>(T::cast_from(1u8));
        let bits = B::map2::<Shl, T, T, W, T, false, R, C>(one, width.into_reg());
        let bits = binary::<B, ops::Sub, T, R, C>(bits, one);
        Matrix::from_reg(B::map2::<Shl, T, T, O, T, false, R, C>(bits, offset.into_reg()))
    }
}

/// The second operand shifted left by the third, in the type of the first.
struct ShiftedSecond;

composed! {
    [T: Dword, V: Int, O: Int] ShiftedSecond: |_: T, value: V, offset: O| -> T {
        Matrix::from_reg(B::map2::<Shl, T, V, O, T, false, R, C>(value.into_reg(), offset.into_reg()))
    }
}

/// The bits of the second operand where those of the third are set, otherwise the bits of the first.
struct Replaced;

composed! {
    [T: Dword] Replaced: |x: T, value: T, mask: T| -> T {
        let (x, value, mask) = (x.into_reg(), value.into_reg(), mask.into_reg());
        let others = B::map1::<Not, T, T, T, false, R, C>(mask);
        let kept = binary::<B, And, T, R, C>(x, others);
        Matrix::from_reg(binary::<B, Or, T, R, C>(kept, binary::<B, And, T, R, C>(value, mask)))
    }
}

/// Any function of the bits of three integers at the same position. CM: `cm_bfn<F>(a, b, c)`.
///
/// Bit `a + 2 * b + 4 * c` of `F` is the result for the bits `a`, `b` and `c`. To compute `F`, write the expression of
/// `a`, `b` and `c` with [`BFN_X`], [`BFN_Y`] and [`BFN_Z`]. The elements are integers of any type; `b` and `c` have
/// the shape of `a` or are numbers, and are converted to the elements of `a`. Every generation supports it (CM: from
/// Xe-HP on). For words and dwords it is one instruction from Xe-HPG on; otherwise it takes up to 10.
///
/// ```
/// use cm::prelude::*;
/// use math::{BFN_X, BFN_Y, BFN_Z};
/// let (a, b, c) = (Vector::from_array([0b0011u8]), 0b0101, 0b1001);
/// assert_eq!(math::bfn::<{ BFN_X ^ BFN_Y ^ BFN_Z }, _>(a, b, c).to_array(), [0b1111]);
/// assert_eq!(math::bfn::<{ BFN_X & !BFN_Y | BFN_Z }, _>(a, b, c).to_array(), [0b1011]);
/// ```
#[op]
pub fn bfn<const F: u8, A>(
    a: A,
    b: impl Beside<A, Elem: Int>,
    c: impl Beside<A, Elem: Int>,
) -> A::With<A::Elem>
where
    A: Register<Elem: Int>,
{
    a.composed::<Boolean<F>, _, _>(b.beside(), c.beside())
}

/// The function of [`bfn`] that returns its first operand. CM: `BFN_X`.
pub const BFN_X: u8 = 0xaa;
/// The function of [`bfn`] that returns its second operand. CM: `BFN_Y`.
pub const BFN_Y: u8 = 0xcc;
/// The function of [`bfn`] that returns its third operand. CM: `BFN_Z`.
pub const BFN_Z: u8 = 0xf0;

struct Boolean<const F: u8>;

composed! {
    [const F: u8, T: Int, V: Int, W: Int] Boolean<F>: |a: T, b: V, c: W| -> T {
        let (a, b) = (a.into_reg(), convert::<B, V, T, R, C>(b.into_reg()));
        let c = convert::<B, W, T, R, C>(c.into_reg());
        // The function of `a` and `b` where `c` is 0, and the bits that `c` changes.
        let plain = of_two::<T, R, C, B>(F & 15, a, b);
        let changed = of_two::<T, R, C, B>((F >> 4) ^ (F & 15), a, b);
        let changed = binary::<B, And, T, R, C>(c, changed);
        Matrix::from_reg(binary::<B, ops::Xor, T, R, C>(plain, changed))
    }
}

/// The function of two operands with these results: bit `a + 2 * b`.
#[op]
fn of_two<T: Int, const R: usize, const C: usize, B: Backend>(
    bits: u8,
    a: B::Reg<T, R, C>,
    b: B::Reg<T, R, C>,
) -> B::Reg<T, R, C> {
    let constant = |set: bool| number::<B, T, R, C>(if set { T::not(T::default()) } else { T::default() });
    // As a sum: the result for zeros, plus the changes by `a`, `b` and both.
    let (zero, of_a, of_b) = (bits & 1 == 1, bits >> 1 & 1 != bits & 1, bits >> 2 & 1 != bits & 1);
    let of_both = (bits & 1) ^ (bits >> 1 & 1) ^ (bits >> 2 & 1) ^ (bits >> 3 & 1) == 1;
    let mut sum = constant(zero);
    if of_a {
        sum = binary::<B, ops::Xor, T, R, C>(sum, a);
    }
    if of_b {
        sum = binary::<B, ops::Xor, T, R, C>(sum, b);
    }
    if of_both {
        sum = binary::<B, ops::Xor, T, R, C>(sum, binary::<B, And, T, R, C>(a, b));
    }
    sum
}

/// The bits of `x`, rotated left. CM: `cm_rol(x, count)`.
///
/// The elements are integers of any type (in CM: of 16 and 32 bits). `count` has the shape of `x` or is a number,
/// and is taken modulo the number of bits of an element. Every generation supports it (CM: from Xe-LP on).
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::rol(Vector::from_array([0x8001u16]), 4).to_array(), [0x0018]);
/// ```
#[op]
pub fn rol<A: Register<Elem: Int>>(x: A, count: impl Beside<A, Elem: Int>) -> A::With<A::Elem> {
    own::<Rol, _, _>(x, count)
}

/// The bits of `x`, rotated right. CM: `cm_ror(x, count)`. The rules are those of [`rol`].
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::ror(Vector::from_array([0x8001u16]), 4).to_array(), [0x1800]);
/// ```
#[op]
pub fn ror<A: Register<Elem: Int>>(x: A, count: impl Beside<A, Elem: Int>) -> A::With<A::Elem> {
    own::<Ror, _, _>(x, count)
}

/// The quotient of integers, rounded towards zero, in their common type: `a / b`. CM: `cm_quot(a, b)`.
///
/// A quotient by 0 has all bits set; `MIN / -1` is `MIN`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::quot(Vector::from_array([-7i32, 7]), 2).to_array(), [-3, 3]);
/// ```
#[op]
pub fn quot<A: Register, V: Beside<A, Common: Int>>(a: A, b: V) -> A::With<V::Common> {
    super::arith::common::<Div, V::Common, false, _, _>(a, b)
}

/// The remainder of integers, with the sign of `a`, in their common type: `a % b`. CM: `cm_mod(a, b)`; `mod` is a
/// keyword of Rust.
///
/// Modulo 0 the remainder is `a`.
///
/// ```
/// use cm::prelude::*;
/// assert_eq!(math::modulo(Vector::from_array([-7i32, 7]), 2).to_array(), [-1, 1]);
/// ```
#[op]
pub fn modulo<A: Register, V: Beside<A, Common: Int>>(a: A, b: V) -> A::With<V::Common> {
    super::arith::common::<Rem, V::Common, false, _, _>(a, b)
}

/// The quotient and the remainder of integers. CM: `cm_div(remainder, a, b)`, which returns the quotient.
///
/// The rules are those of [`quot`] and [`modulo`].
///
/// ```
/// use cm::prelude::*;
/// let (quotient, remainder) = math::div(Vector::from_array([-7i32, 7]), Vector::from_array([2, 3]));
/// assert_eq!((quotient.to_array(), remainder.to_array()), ([-3, 2], [-1, 1]));
/// ```
#[op]
pub fn div<A, V>(a: A, b: V) -> (A::With<V::Common>, A::With<V::Common>)
where
    A: Register,
    V: Beside<A, Common: Int>,
{
    let b = b.beside();
    (
        a.map2::<Div, V::Common, V::Elem, V::Common, false>(b),
        a.map2::<Rem, V::Common, V::Elem, V::Common, false>(b),
    )
}

/// The sum of `u32` elements and the carry, 0 or 1. CM: `cm_addc(a, b, carry)`, which returns the sum.
///
/// In plain Rust write literals with their type: `2u32`.
///
/// ```
/// use cm::prelude::*;
/// let (sum, carry) = math::addc(Vector::from_array([u32::MAX, 1]), 2u32);
/// assert_eq!((sum.to_array(), carry.to_array()), ([1, 3], [1, 0]));
/// ```
#[op]
pub fn addc<A: Register<Elem = u32>>(a: A, b: impl Beside<A, Elem = u32>) -> (A::With<u32>, A::With<u32>) {
    let b = b.beside();
    let sum = a.map2::<ops::Add, u32, u32, u32, false>(b);
    // A sum that has wrapped is less than its operands.
    let carry = a.map2::<ops::Gt, u32, u32, u32, false>(sum);
    (sum, carry)
}

/// The difference of `u32` elements and the borrow, 0 or 1. CM: `cm_subb(a, b, borrow)`, which returns the
/// difference.
///
/// In plain Rust write literals with their type: `2u32`.
///
/// ```
/// use cm::prelude::*;
/// let (difference, borrow) = math::subb(Vector::from_array([1u32, 3]), 2u32);
/// assert_eq!((difference.to_array(), borrow.to_array()), ([u32::MAX, 1], [1, 0]));
/// ```
#[op]
pub fn subb<A: Register<Elem = u32>>(a: A, b: impl Beside<A, Elem = u32>) -> (A::With<u32>, A::With<u32>) {
    let b = b.beside();
    (a.map2::<ops::Sub, u32, u32, u32, false>(b), a.map2::<ops::Lt, u32, u32, u32, false>(b))
}

/// The high and the low 32 bits of the product of `u32` or `i32` elements. CM: `cm_imul(low, a, b)`, which returns
/// the high bits.
///
/// In plain Rust write literals with their type: `2u32`.
///
/// ```
/// use cm::prelude::*;
/// let (high, low) = math::imul(Vector::from_array([-1i32, 1 << 20]), 1i32 << 20);
/// assert_eq!((high.to_array(), low.to_array()), ([-1, 256], [-1 << 20, 0]));
/// ```
#[op]
pub fn imul<A>(a: A, b: impl Beside<A, Elem = A::Elem>) -> (A::With<A::Elem>, A::With<A::Elem>)
where
    A: Register<Elem: Dword>,
{
    let b = b.beside();
    (a.composed::<HighHalf, _, _>(b, b), a.map2::<Mul, A::Elem, A::Elem, A::Elem, false>(b))
}

struct HighHalf;

composed! {
    [T: Dword] HighHalf: |a: T, b: T, _: T| -> T {
        // Products of unsigned numbers have 64 bits, those of signed ones fewer.
        let product = B::map2::<Mul, i64, T, T, i64, false, R, C>(a.into_reg(), b.into_reg());
        let places = number::<B, i64, R, C>(32);
        Matrix::from_reg(B::map2::<Shr, i64, i64, i64, T, false, R, C>(product, places))
    }
}

/// `O` of integers in the type of the first.
#[op]
fn own<O, A, V>(a: A, b: V) -> A::With<A::Elem>
where
    O: ops::BinaryOp<A::Elem>,
    A: Register<Elem: Int>,
    V: Beside<A, Elem: Int>,
{
    b.second_of::<O, A::Elem, A::Elem, false>(a)
}
