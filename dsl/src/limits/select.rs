//! `select`: sizes, strides, and the position of the region inside the object.

use std::ops::{Add, Mul};

use typenum::{B1, IsLess, Le, Prod, Sum, U0, U1, UInt, UTerm};

use super::count::{Count, Len, Shape, U};

/// `SIZE` elements, `STRIDE` apart, from position `AT` of `TOTAL`.
#[derive(Debug)]
pub struct Extent<const AT: usize, const SIZE: usize, const STRIDE: usize, const TOTAL: usize>;

/// Whether the span ends inside: `AT + (SIZE - 1) * STRIDE < TOTAL`, without a subtraction.
pub trait Within {
    /// `B1` if the span ends inside.
    type Bit;
}

impl<const AT: usize, const SIZE: usize, const STRIDE: usize, const TOTAL: usize> Within
    for Extent<AT, SIZE, STRIDE, TOTAL>
where
    Len<AT>: Count,
    Len<SIZE>: Count,
    Len<STRIDE>: Count,
    Len<TOTAL>: Count,
    U<SIZE>: Mul<U<STRIDE>>,
    U<AT>: Add<Prod<U<SIZE>, U<STRIDE>>>,
    U<TOTAL>: Add<U<STRIDE>>,
    Sum<U<AT>, Prod<U<SIZE>, U<STRIDE>>>: IsLess<Sum<U<TOTAL>, U<STRIDE>>>,
{
    type Bit = Le<Sum<U<AT>, Prod<U<SIZE>, U<STRIDE>>>, Sum<U<TOTAL>, U<STRIDE>>>;
}

/// A size above zero.
#[diagnostic::on_unimplemented(
    message = "a size of zero: a register region has at least one row and one element",
    label = "this size is zero",
    note = "CM: sizes are constants above zero"
)]
pub trait PositiveSize {}
impl<N, B> PositiveSize for UInt<N, B> {}

/// A stride above zero.
#[diagnostic::on_unimplemented(
    message = "`select` with a stride of zero",
    label = "this stride is zero",
    note = "strides are at least 1; `replicate` repeats elements"
)]
pub trait PositiveStride {}
impl<N, B> PositiveStride for UInt<N, B> {}

/// A stride that fits its size.
#[diagnostic::on_unimplemented(
    message = "`select` of a single row or element has stride 1",
    label = "the stride must be 1 where the size is 1",
    note = "CM: a region of size 1 has stride 1; write `select::<1, 1, ..>`"
)]
pub trait StrideFits<Stride> {}
// A size of 0 and a stride of 0 are reported by the traits above, so they pass here.
impl<S> StrideFits<S> for UTerm {}
impl StrideFits<U0> for U1 {}
impl StrideFits<U1> for U1 {}
// Numbers of two bits or more: sizes from 2 on.
impl<S, N, A, B> StrideFits<S> for UInt<UInt<N, A>, B> {}

/// Leaf: the rows.
#[diagnostic::on_unimplemented(
    message = "`select` reaches past the last row",
    label = "more rows than the matrix has",
    note = "`select::<R, VS, C, HS>` needs (R - 1) * VS + 1 rows"
)]
pub trait RowsInside {}
impl RowsInside for B1 {}

/// Leaf: the columns.
#[diagnostic::on_unimplemented(
    message = "`select` reaches past the last column",
    label = "more columns than the matrix has",
    note = "`select::<R, VS, C, HS>` needs (C - 1) * HS + 1 columns"
)]
pub trait ColumnsInside {}
impl ColumnsInside for B1 {}

/// Leaf: the elements of a vector.
#[diagnostic::on_unimplemented(
    message = "`select` reaches past the last element",
    label = "more elements than the vector has",
    note = "`select::<N, S>` needs (N - 1) * S + 1 elements"
)]
pub trait ElementsInside {}
impl ElementsInside for B1 {}

/// A shape that contains the region of `select::<R2, VS, C2, HS>`. Sizes and strides are not 0; the stride is
/// 1 if the size is 1.
pub trait Select<const R2: usize, const VS: usize, const C2: usize, const HS: usize> {}

impl<const R: usize, const C: usize, const R2: usize, const VS: usize, const C2: usize, const HS: usize>
    Select<R2, VS, C2, HS> for Shape<R, C>
where
    Len<R2>: Count<UInt: PositiveSize + StrideFits<U<VS>>>,
    Len<VS>: Count<UInt: PositiveStride>,
    Len<C2>: Count<UInt: PositiveSize + StrideFits<U<HS>>>,
    Len<HS>: Count<UInt: PositiveStride>,
    Extent<0, R2, VS, R>: Within<Bit: RowsInside>,
    Extent<0, C2, HS, C>: Within<Bit: ColumnsInside>,
{
}

/// A length that contains the region of `select::<SIZE, STRIDE>`; the rules are those of [`Select`].
pub trait SelectElements<const SIZE: usize, const STRIDE: usize> {}

impl<const N: usize, const SIZE: usize, const STRIDE: usize> SelectElements<SIZE, STRIDE> for Shape<1, N>
where
    Len<SIZE>: Count<UInt: PositiveSize + StrideFits<U<STRIDE>>>,
    Len<STRIDE>: Count<UInt: PositiveStride>,
    Extent<0, SIZE, STRIDE, N>: Within<Bit: ElementsInside>,
{
}
