//! Buffers: sizes and offsets of oword blocks, lanes and elements of scattered messages.

use std::ops::Mul;

use typenum::{B1, IsGreaterOrEqual, IsLessOrEqual, Prod, U1, U2, U4, U8, U16, U32, U64, U128, U256, U512};

use super::count::{Count, Len, Shape, U};
use crate::elem::{Elem, Int, Numeric, f16, tf32};

/// Leaf: the smallest block.
#[diagnostic::on_unimplemented(
    message = "an oword block has at least 16 bytes",
    label = "fewer than 16 bytes",
    note = "an oword is 16 bytes: read more elements and `select` the first, or use `read_scattered`"
)]
pub trait AtLeastOneOword {}
impl AtLeastOneOword for B1 {}

/// Leaf: the largest block.
#[diagnostic::on_unimplemented(
    message = "an oword block read is at most 8 owords, 128 bytes",
    label = "more than 128 bytes",
    note = "elements times the element size is at most 128 bytes: read the block in pieces"
)]
pub trait Within8Owords {}
impl Within8Owords for B1 {}

/// A vector of elements `T` that one oword block read can return: 16 to 128 bytes.
pub trait OwordRead<T: Elem> {}

impl<T: Elem, const N: usize> OwordRead<T> for Shape<1, N>
where
    Len<N>: Count,
    U<N>: Mul<T::Size>,
    Prod<U<N>, T::Size>:
        IsGreaterOrEqual<U16, Output: AtLeastOneOword> + IsLessOrEqual<U128, Output: Within8Owords>,
{
}

/// Leaf: the sizes of blocks that are written.
#[diagnostic::on_unimplemented(
    message = "an oword block write has 1, 2, 4 or 8 owords: 16, 32, 64 or 128 bytes",
    label = "not 16, 32, 64 or 128 bytes",
    note = "write the object in blocks of these sizes, or its elements with `write_scattered`"
)]
pub trait WholeOwords {}
impl WholeOwords for U16 {}
impl WholeOwords for U32 {}
impl WholeOwords for U64 {}
impl WholeOwords for U128 {}

/// A shape of elements `T` that one oword block write accepts: 16, 32, 64 or 128 bytes.
pub trait OwordWrite<T: Elem> {}

impl<T: Elem, const R: usize, const C: usize> OwordWrite<T> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Mul<T::Size>,
    Prod<Prod<U<R>, U<C>>, T::Size>: WholeOwords,
{
}

/// Leaf: the sizes of blocks that are loaded, stored and prefetched.
#[diagnostic::on_unimplemented(
    message = "a block that is loaded, stored or prefetched has 4, 8, 16, 32, 64, 128 or 256 bytes, or 512 if the elements have 8",
    label = "not such a number of bytes",
    note = "elements times the element size is 1, 2, 4, 8, 16, 32 or 64 dwords, or 64 elements of 8 bytes: move the block in pieces"
)]
pub trait PowerOfDwords<Size> {}
impl<Size> PowerOfDwords<Size> for U4 {}
impl<Size> PowerOfDwords<Size> for U8 {}
impl<Size> PowerOfDwords<Size> for U16 {}
impl<Size> PowerOfDwords<Size> for U32 {}
impl<Size> PowerOfDwords<Size> for U64 {}
impl<Size> PowerOfDwords<Size> for U128 {}
impl<Size> PowerOfDwords<Size> for U256 {}
impl PowerOfDwords<U8> for U512 {}

/// A shape of elements `T` that one load, store or prefetch moves: 4, 8, 16, 32, 64, 128 or 256 bytes, or 512 of elements of
/// 8 bytes.
pub trait DwordBlock<T: Elem> {}

impl<T: Elem, const R: usize, const C: usize> DwordBlock<T> for Shape<R, C>
where
    Len<R>: Count,
    Len<C>: Count,
    U<R>: Mul<U<C>>,
    Prod<U<R>, U<C>>: Mul<T::Size>,
    Prod<Prod<U<R>, U<C>>, T::Size>: PowerOfDwords<T::Size>,
{
}

/// Leaf: the number of elements.
#[diagnostic::on_unimplemented(
    message = "a scattered message takes 1, 2, 4, 8, 16 or 32 elements",
    label = "not a power of two up to 32",
    note = "read, write or update the elements in groups of these sizes"
)]
pub trait PowerOfTwoUpTo32 {}
impl PowerOfTwoUpTo32 for U1 {}
impl PowerOfTwoUpTo32 for U2 {}
impl PowerOfTwoUpTo32 for U4 {}
impl PowerOfTwoUpTo32 for U8 {}
impl PowerOfTwoUpTo32 for U16 {}
impl PowerOfTwoUpTo32 for U32 {}

/// A vector that a scattered message accepts: 1, 2, 4, 8, 16 or 32 elements.
pub trait ScatteredLanes {}

impl<const N: usize> ScatteredLanes for Shape<1, N> where Len<N>: Count<UInt: PowerOfTwoUpTo32> {}

/// A number of elements of the vectors that a scattered message takes: 2, 3, 4 or 8.
#[diagnostic::on_unimplemented(
    message = "a scattered message takes vectors of 2, 3, 4 or 8 elements",
    label = "not 2, 3, 4 or 8 rows",
    note = "the rows of the matrix are the elements of the vectors: read or write them in parts of these sizes"
)]
pub trait VectorRows {}
impl VectorRows for Len<2> {}
impl VectorRows for Len<3> {}
impl VectorRows for Len<4> {}
impl VectorRows for Len<8> {}

/// An element of a vector of a scattered message: of 4 or 8 bytes.
#[diagnostic::on_unimplemented(
    message = "vectors of scattered messages have elements of 4 or 8 bytes, not `{Self}`",
    label = "not a dword or a qword",
    note = "`.format::<u32>()` of the buffer is the same bytes as elements `u32`, and `.format_mut::<u32>()` to write them"
)]
pub trait VectorElem: Elem {}

macro_rules! vector_elements {
    ($($t:ident)*) => { $(impl VectorElem for $t {})* };
}

vector_elements! { u32 i32 f32 tf32 u64 i64 f64 }

/// An element of an atomic operation: an integer of 16, 32 or 64 bits, `f16` or `f32`.
#[diagnostic::on_unimplemented(
    message = "atomic operations take elements of 16, 32 or 64 bits, not `{Self}`",
    label = "not an element of an atomic operation",
    note = "elements are `u16`, `i16`, `u32`, `i32`, `u64`, `i64`, `f16` or `f32`: declare the buffer as \
            `&mut Buffer<u32>`, or as one of the others"
)]
pub trait AtomicElem: Numeric {}

macro_rules! atomic {
    ($($t:ident)*) => { $(impl AtomicElem for $t {})* };
}

atomic! { u16 i16 u32 i32 u64 i64 f16 f32 }

/// An element of an atomic operation that counts or combines bits: an integer.
#[diagnostic::on_unimplemented(
    message = "this atomic operation takes integers, not `{Self}`",
    label = "not an operation on floats",
    note = "floats have `Add`, `Sub`, `Min`, `Max`, `Xchg` and `CmpXchg`"
)]
pub trait AtomicInt: AtomicElem + Int {}

macro_rules! atomic_integers {
    ($($t:ident)*) => { $(impl AtomicInt for $t {})* };
}

atomic_integers! { u16 i16 u32 i32 u64 i64 }

/// A literal offset in bytes, and its remainder by 16, as a type. `#[kernel]` generates it for a literal.
#[derive(Clone, Copy, Debug)]
pub struct LitBytes<const I: usize, const LOW: usize>;

/// The remainder of a literal offset by 16.
#[derive(Clone, Copy, Debug)]
pub struct Remainder<const LOW: usize>;

/// Leaf: a literal offset of an oword block.
#[diagnostic::on_unimplemented(
    message = "an oword block starts at a multiple of 16 bytes",
    label = "not a multiple of 16",
    note = "offsets count bytes, not elements; `read_dwaligned` reads at multiples of 4"
)]
pub trait OwordAligned {}
impl OwordAligned for Remainder<0> {}

/// Leaf: a literal offset of a `read_dwaligned`.
#[diagnostic::on_unimplemented(
    message = "a dword aligned block starts at a multiple of 4 bytes",
    label = "not a multiple of 4",
    note = "offsets count bytes, not elements; `read_scattered` reads elements anywhere"
)]
pub trait DwordAligned {}
// The multiples of 4 among the remainders by 16.
impl DwordAligned for Remainder<0> {}
impl DwordAligned for Remainder<4> {}
impl DwordAligned for Remainder<8> {}
impl DwordAligned for Remainder<12> {}
