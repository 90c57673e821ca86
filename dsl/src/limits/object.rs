//! Whole objects: the register file, equal element counts, masks in an integer.

use std::ops::Mul;

use typenum::{B0, B1, Eq, IsEqual, IsLess, IsLessOrEqual, Le, LeEq, Prod, U32, U4096, U8192, U16384};

use super::count::{Count, Len, Shape, U};
use super::select::PositiveSize;
use crate::elem::Elem;

/// Leaf: the register file.
#[diagnostic::on_unimplemented(
    message = "this object does not fit the register file",
    label = "4096 bytes or more",
    note = "use fewer rows, fewer columns or a narrower element type, or `#[kernel(register_file = 8192)]` for GPUs \
            with larger register files"
)]
pub trait SmallerThanTheRegisterFile {}
impl SmallerThanTheRegisterFile for B1 {}

/// Leaf: a larger register file, which the kernel declares.
#[diagnostic::on_unimplemented(
    message = "this object does not fit the register file",
    label = "{FILE} bytes or more",
    note = "`register_file = {FILE}` is declared, and an object is smaller than that: use fewer rows, fewer columns \
            or a narrower element type"
)]
pub trait SmallerThanTheDeclaredFile<const FILE: usize> {}
impl<const FILE: usize> SmallerThanTheDeclaredFile<FILE> for B1 {}

/// A shape whose objects with elements `T` fit a register file of `FILE` bytes: they are not empty, and smaller.
///
/// The size of the register file is 4096, 8192 or 16384 bytes.
pub trait Fits<T: Elem, const FILE: usize = 4096> {}

impl<T: Elem, const R: usize, const C: usize> Fits<T> for Shape<R, C>
where
    Len<R>: Count<UInt: PositiveSize>,
    Len<C>: Count<UInt: PositiveSize>,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Mul<T::Size>,
    Prod<Prod<U<R>, U<C>>, T::Size>: IsLess<U4096>,
    Le<Prod<Prod<U<R>, U<C>>, T::Size>, U4096>: SmallerThanTheRegisterFile,
{
}

macro_rules! declared_files {
    ($($bytes:literal $size:ident;)*) => {$(
        impl<T: Elem, const R: usize, const C: usize> Fits<T, $bytes> for Shape<R, C>
        where
            Len<R>: Count<UInt: PositiveSize>,
            Len<C>: Count<UInt: PositiveSize>,
            U<R>: Mul<U<C>>,
            Prod<U<R>, U<C>>: Mul<T::Size>,
            Prod<Prod<U<R>, U<C>>, T::Size>: IsLess<$size>,
            Le<Prod<Prod<U<R>, U<C>>, T::Size>, $size>: SmallerThanTheDeclaredFile<$bytes>,
        {
        }
    )*};
}

declared_files! {
    8192 U8192;
    16384 U16384;
}

/// A length whose vectors of elements `T` fit a register file of `FILE` bytes.
pub trait FitsLen<T: Elem, const FILE: usize = 4096> {}

impl<T: Elem, const N: usize, const FILE: usize> FitsLen<T, FILE> for Len<N> where Shape<1, N>: Fits<T, FILE> {}

/// Leaf: the number of elements.
#[diagnostic::on_unimplemented(
    message = "a matrix and a vector with different numbers of elements",
    label = "the element counts differ",
    note = "an assignment, a mask and a merge pair the elements row by row: the counts must be equal"
)]
pub trait EqualCounts {}
impl EqualCounts for B1 {}

/// A shape with exactly `N` elements.
pub trait SameCount<const N: usize> {}

impl<const R: usize, const C: usize, const N: usize> SameCount<N> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    Len<N>: Count,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: IsEqual<U<N>>,
    Eq<Prod<U<R>, U<C>>, U<N>>: EqualCounts,
{
}

/// Leaf: other columns, and the same number of elements.
#[diagnostic::on_unimplemented(
    message = "a matrix with another number of elements",
    label = "the element counts differ",
    note = "an assignment pairs the elements row by row: the shapes may differ, the counts must be equal"
)]
pub trait EqualCountsInOtherColumns {}
impl EqualCountsInOtherColumns for (B0, B1) {}

/// A shape with as many elements as `R2` rows of `C2`, and other columns.
pub trait Reshapes<const R2: usize, const C2: usize> {}

impl<const R: usize, const C: usize, const R2: usize, const C2: usize> Reshapes<R2, C2> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    Len<R2>: Count,
    Len<C2>: Count,
    U<R>: Mul<U<C>>,
    U<R2>: Mul<U<C2>>,
    U<C>: IsEqual<U<C2>>,
    Prod<U<R>, U<C>>: IsEqual<Prod<U<R2>, U<C2>>>,
    (Eq<U<C>, U<C2>>, Eq<Prod<U<R>, U<C>>, Prod<U<R2>, U<C2>>>): EqualCountsInOtherColumns,
{
}

/// Leaf: bits of an integer mask.
#[diagnostic::on_unimplemented(
    message = "an integer mask has 32 bits, fewer than this object has elements",
    label = "more than 32 elements",
    note = "use a register mask, e.g. the result of a comparison"
)]
pub trait AtMost32 {}
impl AtMost32 for B1 {}

/// A shape that an integer mask covers: at most 32 elements.
pub trait IntegerMask {}

impl<const R: usize, const C: usize> IntegerMask for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: IsLessOrEqual<U32>,
    LeEq<Prod<U<R>, U<C>>, U32>: AtMost32,
{
}
