//! Media blocks: row width, register pitch, number of rows.

use std::ops::{Mul, Rem};

use typenum::{B0, B1, Eq, IsEqual, IsLessOrEqual, LeEq, Mod, Prod, U0, U4, U8, U16, U32, U64};

use super::count::{Count, Len, Shape, U};
use super::select::PositiveSize;
use crate::elem::{Elem, tf32};

/// Chooses by a bit: `Then` for `B1`, `Else` for `B0`.
pub trait Choose<Then, Else> {
    /// The choice.
    type Output;
}
impl<Then, Else> Choose<Then, Else> for B1 {
    type Output = Then;
}
impl<Then, Else> Choose<Then, Else> for B0 {
    type Output = Else;
}
type If<Bit, Then, Else> = <Bit as Choose<Then, Else>>::Output;

/// The largest number of rows for this row width in bytes: 256 bytes at the pitch of the width.
pub trait MaxRows {
    /// The number of rows.
    type Rows;
}

type Within64<W> = If<LeEq<W, U32>, U8, U4>;
type Within32<W> = If<LeEq<W, U16>, U16, Within64<W>>;
type Within16<W> = If<LeEq<W, U8>, U32, Within32<W>>;
type Within8<W> = If<LeEq<W, U4>, U64, Within16<W>>;

impl<W> MaxRows for W
where
    W: IsLessOrEqual<U4> + IsLessOrEqual<U8> + IsLessOrEqual<U16> + IsLessOrEqual<U32>,
    LeEq<W, U32>: Choose<U8, U4>,
    LeEq<W, U16>: Choose<U16, Within64<W>>,
    LeEq<W, U8>: Choose<U32, Within32<W>>,
    LeEq<W, U4>: Choose<U64, Within16<W>>,
{
    type Rows = Within8<W>;
}

/// Leaf: the row width.
#[diagnostic::on_unimplemented(
    message = "a media block row is at most 64 bytes wide",
    label = "this row is wider than 64 bytes",
    note = "columns times the element size is at most 64 bytes; `read_block` and `write_block` take larger blocks",
    note = "a sum of bytes has `i32` elements, four bytes each: write `&(a + b).convert::<u8>()`"
)]
pub trait RowWithin64Bytes {}
impl RowWithin64Bytes for B1 {}

/// Leaf: pitch times rows. Silent if the row is too wide.
#[diagnostic::on_unimplemented(
    message = "a media block is at most 256 bytes: the row pitch times the rows",
    label = "too many rows for this width",
    note = "rows of 1-4 bytes: at most 64 rows, 5-8: 32, 9-16: 16, 17-32: 8, 33-64: 4; \
            `read_block` and `write_block` take larger blocks",
    note = "a sum of bytes has `i32` elements, four bytes each: write `&(a + b).convert::<u8>()`"
)]
pub trait BlockWithin256Bytes<RowFits> {}
impl<X> BlockWithin256Bytes<X> for B1 {}
impl BlockWithin256Bytes<B0> for B0 {}

/// Leaf: the width of a write.
#[diagnostic::on_unimplemented(
    message = "a media block write has rows of a multiple of 4 bytes",
    label = "the row width is not a multiple of 4 bytes",
    note = "widen the block to whole dwords; reads take any width"
)]
pub trait WholeDwords {}
impl WholeDwords for B1 {}

type Width<T, const C: usize> = Prod<U<C>, <T as Elem>::Size>;

/// A shape that one media block read can have with elements `T`: rows of at most 64 bytes, and at most
/// 256 bytes when each row takes the next power of two (at least 4) bytes.
pub trait MediaRead<T: Elem>: MediaBlock<T> {}

impl<T: Elem, const R: usize, const C: usize> MediaRead<T> for Shape<R, C>
where
    Len<R>: Count<UInt: PositiveSize>,
    Len<C>: Count<UInt: PositiveSize>,
    Shape<R, C>: MediaBlock<T>,
{
}

/// A shape within the limits that reads and writes share. An empty shape passes, because a register without
/// elements is already reported.
pub trait MediaBlock<T: Elem> {}

impl<T: Elem, const R: usize, const C: usize> MediaBlock<T> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    U<C>: Mul<T::Size>,
    Width<T, C>: IsLessOrEqual<U64, Output: RowWithin64Bytes> + MaxRows,
    U<R>: IsLessOrEqual<<Width<T, C> as MaxRows>::Rows>,
    LeEq<U<R>, <Width<T, C> as MaxRows>::Rows>: BlockWithin256Bytes<LeEq<Width<T, C>, U64>>,
{
}

/// A shape that one media block write can have with elements `T`: the limits of [`MediaRead`], and a row size
/// that is a multiple of 4 bytes.
pub trait MediaWrite<T: Elem>: MediaBlock<T> {}

impl<T: Elem, const R: usize, const C: usize> MediaWrite<T> for Shape<R, C>
where
    Shape<R, C>: MediaBlock<T>,
    Len<C>: Count,
    U<C>: Mul<T::Size>,
    Width<T, C>: Rem<U4>,
    Mod<Width<T, C>, U4>: IsEqual<U0>,
    Eq<Mod<Width<T, C>, U4>, U0>: WholeDwords,
{
}

/// A number of rows or columns of a transposing read: 1, 2, 4 or 8.
#[diagnostic::on_unimplemented(
    message = "a transposing read takes 1, 2, 4 or 8 rows and columns",
    label = "another number of rows or columns",
    note = "read a larger block in parts, or transpose it by rows: `m.row_mut(i).assign(x.column(i))`"
)]
pub trait TransposedSide {}
impl TransposedSide for Len<1> {}
impl TransposedSide for Len<2> {}
impl TransposedSide for Len<4> {}
impl TransposedSide for Len<8> {}

/// An element type of a transposing read: a type of 4 bytes.
#[diagnostic::on_unimplemented(
    message = "a transposing read takes elements of 4 bytes, not `{Self}`",
    label = "not an element of 4 bytes",
    note = "read dwords and format them: `surface.read_transpose::<u32, 4, 8>(x, y)`"
)]
pub trait TransposedElem: Elem {}
impl TransposedElem for u32 {}
impl TransposedElem for i32 {}
impl TransposedElem for f32 {}
impl TransposedElem for tf32 {}
