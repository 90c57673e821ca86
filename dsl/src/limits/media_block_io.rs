//! Regions of `cl_intel_media_block_io`: width, height by the table of the extension, sub-group size.

use std::ops::{Mul, Rem};

use typenum::{B0, B1, Eq, IsEqual, IsLessOrEqual, LeEq, Mod, Prod, U0, U4, U32};

use super::buffer::Remainder;
use super::count::{Count, Len, U};
use super::media::MaxRows;
use super::select::PositiveSize;
use crate::elem::Elem;

/// Leaf: whole dwords.
#[diagnostic::on_unimplemented(
    message = "the width of a media block region is a multiple of 4 bytes",
    label = "not whole dwords",
    note = "WIDTH counts elements: it is a multiple of 4 in the `uc` built-ins and of 2 in the `us` ones"
)]
pub trait WidthOfWholeDwords {}
impl WidthOfWholeDwords for B1 {}

/// Leaf: the widest region.
#[diagnostic::on_unimplemented(
    message = "a media block region is at most 32 bytes wide",
    label = "wider than 32 bytes",
    note = "WIDTH counts elements: it is at most 32 in the `uc` built-ins, 16 in the `us` ones and 8 in the \
            `ui` ones"
)]
pub trait WidthWithin32Bytes {}
impl WidthWithin32Bytes for B1 {}

/// Leaf: the rows of the table. Silent if the region is too wide, which is already reported.
#[diagnostic::on_unimplemented(
    message = "a media block region of this width has too many rows",
    label = "too many rows for this width",
    note = "rows of 4 bytes: at most 64, of 8: 32, of 12 and 16: 16, of 20 to 32: 8"
)]
pub trait HeightOfTable<WidthFits> {}
impl<X> HeightOfTable<X> for B1 {}
impl HeightOfTable<B0> for B0 {}

type Width<T, const C: usize> = Prod<U<C>, <T as Elem>::Size>;

/// A legal number of elements `T` in a row of a region of [`media_block_io`](crate::media_block_io): 4 to 32
/// bytes in steps of 4.
pub trait RegionWidth<T: Elem> {}

impl<T: Elem, const WIDTH: usize> RegionWidth<T> for Len<WIDTH>
where
    Len<WIDTH>: Count<UInt: PositiveSize>,
    U<WIDTH>: Mul<T::Size>,
    Width<T, WIDTH>: IsLessOrEqual<U32, Output: WidthWithin32Bytes> + Rem<U4>,
    Mod<Width<T, WIDTH>, U4>: IsEqual<U0>,
    Eq<Mod<Width<T, WIDTH>, U4>, U0>: WidthOfWholeDwords,
{
}

/// A legal number of rows of a region with `WIDTH` elements `T` per row: at most 64 rows of 4 bytes, 32 of 8,
/// 16 of 12 or 16, and 8 of 20 to 32. [`RegionWidth`] checks the width.
pub trait RegionHeight<T: Elem, const WIDTH: usize> {}

impl<T: Elem, const HEIGHT: usize, const WIDTH: usize> RegionHeight<T, WIDTH> for Len<HEIGHT>
where
    Len<HEIGHT>: Count<UInt: PositiveSize>,
    Len<WIDTH>: Count,
    U<WIDTH>: Mul<T::Size>,
    Width<T, WIDTH>: IsLessOrEqual<U32> + MaxRows,
    U<HEIGHT>: IsLessOrEqual<<Width<T, WIDTH> as MaxRows>::Rows>,
    LeEq<U<HEIGHT>, <Width<T, WIDTH> as MaxRows>::Rows>: HeightOfTable<LeEq<Width<T, WIDTH>, U32>>,
{
}

/// Leaf: a literal column.
#[diagnostic::on_unimplemented(
    message = "a media block region starts at a byte column that is a multiple of 4",
    label = "not a multiple of 4",
    note = "x counts bytes, not texels: read from the dword before, and `select` the part"
)]
pub trait ColumnOfDwords {}
impl ColumnOfDwords for Remainder<0> {}
impl ColumnOfDwords for Remainder<4> {}
impl ColumnOfDwords for Remainder<8> {}
impl ColumnOfDwords for Remainder<12> {}
