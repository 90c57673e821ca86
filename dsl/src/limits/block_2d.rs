//! 2-D blocks of buffers: their forms and sizes.

use std::ops::{Mul, Rem};

use cm_compiler::limits::BlockForm;
use typenum::{B1, IsLessOrEqual, Prod, U0, U1, U2, U4, U8, U16, U32, U64, U256};

use super::count::{Count, Len, Shape, U};
use super::select::PositiveSize;
use crate::elem::Elem;

/// A block in the layout of memory, or `N` blocks next to each other, which are loaded one below the other.
#[derive(Clone, Copy, Debug)]
pub struct Plain<const N: usize>;

/// A block whose rows become columns. CM: `Transposed`.
#[derive(Clone, Copy, Debug)]
pub struct Transpose;

/// A block in which each dword holds consecutive elements of a column, as [`vnni`](crate::math::vnni) packs them; or
/// `N` blocks next to each other, which are loaded one below the other. CM: `Transformed`.
#[derive(Clone, Copy, Debug)]
pub struct Pack<const N: usize>;

/// How a 2-D block is loaded: [`Plain`], [`Transpose`] or [`Pack`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a form of 2-D blocks",
    label = "not a form",
    note = "the forms are `Plain<N>`, `Transpose` and `Pack<N>` of `cm::block_2d`, with N of 1, 2 or 4"
)]
pub trait Form {
    /// As kernels are recorded.
    #[doc(hidden)]
    const FORM: BlockForm;
}

macro_rules! forms {
    ($($ty:ty, $form:ident;)*) => {$(
        impl Form for $ty {
            const FORM: BlockForm = BlockForm::$form;
        }
    )*};
}

forms! {
    Plain<1>, Normal;
    Plain<2>, Normal2;
    Plain<4>, Normal4;
    Transpose, Transposed;
    Pack<1>, Packed;
    Pack<2>, Packed2;
    Pack<4>, Packed4;
}

/// Leaf: the width of a block.
#[diagnostic::on_unimplemented(
    message = "a 2-D block has rows of a multiple of 4 bytes",
    label = "rows that are not whole dwords",
    note = "columns times the element size is the width of a row: widen the block to whole dwords"
)]
pub trait RowOfDwords {}
impl RowOfDwords for U0 {}

/// Leaf: the largest width.
#[diagnostic::on_unimplemented(
    message = "a 2-D block has rows of at most 64 bytes",
    label = "rows of more than 64 bytes",
    note = "columns times the element size is the width of a row, and several blocks next to each other count together: \
            move the block in pieces"
)]
pub trait RowOf64Bytes {}
impl RowOf64Bytes for B1 {}

/// Leaf: the largest number of loaded rows.
#[diagnostic::on_unimplemented(
    message = "a 2-D block that is loaded or prefetched has at most 32 rows",
    label = "more than 32 rows in memory",
    note = "load the block in pieces; of a transposed block the columns are the rows in memory"
)]
pub trait AtMost32Rows {}
impl AtMost32Rows for B1 {}

/// Leaf: the largest number of stored rows.
#[diagnostic::on_unimplemented(
    message = "a 2-D block that is stored has at most 8 rows",
    label = "more than 8 rows",
    note = "store the block in pieces: `y.store_2d(.., row + 8, &m.select::<8, 1, C, 1>(8, 0))`"
)]
pub trait AtMost8Rows {}
impl AtMost8Rows for B1 {}

/// Leaf: the rows of several blocks.
#[diagnostic::on_unimplemented(
    message = "the rows of several 2-D blocks are a multiple of the number of blocks",
    label = "rows that the blocks do not share evenly",
    note = "the blocks are one below the other in the result: 2 blocks of 8 rows have 16"
)]
pub trait WholeBlocks {}
impl WholeBlocks for U0 {}

/// Leaf: the number of blocks for an element size.
#[diagnostic::on_unimplemented(
    message = "a load takes at most two 2-D blocks of elements of 4 bytes, and one of elements of 8 bytes",
    label = "too many blocks",
    note = "load the blocks one by one"
)]
pub trait BlocksOfElements {}
impl BlocksOfElements for B1 {}

/// The element sizes, and the number of elements of a packed dword.
#[diagnostic::on_unimplemented(
    message = "a packed 2-D block has elements of 1 or 2 bytes",
    label = "elements of more than 2 bytes",
    note = "the factors of `dpas` that are packed are `u8`, `i8`, `f16` and `bf16`"
)]
pub trait PackedElement {
    /// Elements of a dword.
    type PerDword;
}
impl PackedElement for U1 {
    type PerDword = U4;
}
impl PackedElement for U2 {
    type PerDword = U2;
}

/// Leaf: the widest packed block.
#[diagnostic::on_unimplemented(
    message = "a packed 2-D block has at most 16 columns in memory, and all blocks rows of at most 64 bytes",
    label = "too many columns",
    note = "in the result each of them takes a dword: load the block in pieces"
)]
pub trait PackedWidth {}
impl PackedWidth for B1 {}

/// Leaf: the narrowest packed block.
#[diagnostic::on_unimplemented(
    message = "a packed 2-D block has rows of a multiple of 4 bytes in memory",
    label = "rows that are not whole dwords",
    note = "in the result each column in memory takes a dword: 4 columns of bytes take 16 elements of a row, 2 of words take 4"
)]
pub trait PackedDwords {}
impl PackedDwords for U0 {}

/// Leaf: the largest number of columns of a transposed block.
#[diagnostic::on_unimplemented(
    message = "a transposed 2-D block has at most 8 rows, which are columns in memory",
    label = "more than 8 rows",
    note = "load the block in pieces, or as it is and take its columns"
)]
pub trait AtMost8Columns {}
impl AtMost8Columns for B1 {}

/// Leaf: the rows of a transposed block, which are columns in memory.
#[diagnostic::on_unimplemented(
    message = "a transposed 2-D block has 1 to 8 rows of elements of 4 bytes, or 1, 2 or 4 rows of elements of 8 bytes",
    label = "not such rows",
    note = "load the block in pieces, or as it is and take its columns"
)]
pub trait TransposedRows<R> {}
impl<R: IsLessOrEqual<U8, Output: AtMost8Columns>> TransposedRows<R> for U4 {}
impl TransposedRows<U1> for U8 {}
impl TransposedRows<U2> for U8 {}
impl TransposedRows<U4> for U8 {}

/// Leaf: the columns of a transposed block, which are rows in memory.
#[diagnostic::on_unimplemented(
    message = "a transposed 2-D block has 1 to 32 columns of elements of 4 bytes, or 8 columns of elements of 8 bytes",
    label = "not such columns",
    note = "load the block in pieces, or as it is and take its columns"
)]
pub trait TransposedColumns<C> {}
impl<C: IsLessOrEqual<U32, Output: AtMost32Rows>> TransposedColumns<C> for U4 {}
impl TransposedColumns<U8> for U8 {}

type Width<T, const C: usize> = Prod<U<C>, <T as Elem>::Size>;

/// A shape of elements `T` in which a 2-D block can be loaded in form `F`: [`Plain`], [`Transpose`] or [`Pack`].
pub trait Load2d<T: Elem, F> {}

impl<T: Elem, const R: usize, const C: usize, const N: usize> Load2d<T, Plain<N>> for Shape<R, C>
where
    Len<N>: Count,
    Len<R>: Count<UInt: PositiveSize>,
    Len<C>: Count<UInt: PositiveSize>,
    U<N>: Mul<T::Size> + Mul<U32>,
    Prod<U<N>, T::Size>: IsLessOrEqual<U8, Output: BlocksOfElements>,
    U<R>: Rem<U<N>, Output: WholeBlocks> + IsLessOrEqual<Prod<U<N>, U32>, Output: AtMost32Rows>,
    U<C>: Mul<T::Size>,
    Width<T, C>: Rem<U4, Output: RowOfDwords> + Mul<U<N>>,
    Prod<Width<T, C>, U<N>>: IsLessOrEqual<U64, Output: RowOf64Bytes>,
{
}

impl<T: Elem, const R: usize, const C: usize> Load2d<T, Transpose> for Shape<R, C>
where
    Len<R>: Count<UInt: PositiveSize>,
    Len<C>: Count<UInt: PositiveSize>,
    T::Size: TransposedRows<U<R>> + TransposedColumns<U<C>>,
{
}

impl<T: Elem, const R: usize, const C: usize, const N: usize> Load2d<T, Pack<N>> for Shape<R, C>
where
    Len<N>: Count,
    Len<R>: Count<UInt: PositiveSize>,
    Len<C>: Count<UInt: PositiveSize>,
    T::Size: PackedElement + Mul<T::Size> + Mul<U8>,
    U<R>: Rem<U<N>, Output: WholeBlocks>,
    // Rows in memory: those of all blocks are `R` times the elements of a dword, 32 / 4 * size * N of it.
    Prod<T::Size, U8>: Mul<U<N>>,
    U<R>: IsLessOrEqual<Prod<Prod<T::Size, U8>, U<N>>, Output: AtMost32Rows>,
    // Bytes of a row in memory: `C` * size * size / 4.
    U<C>: Mul<T::Size>,
    Width<T, C>: Mul<T::Size> + IsLessOrEqual<U64, Output: PackedWidth>,
    Prod<Width<T, C>, T::Size>: Rem<U16, Output: PackedDwords> + Mul<U<N>>,
    Prod<Prod<Width<T, C>, T::Size>, U<N>>: IsLessOrEqual<U256, Output: PackedWidth>,
{
}

/// A shape of elements `T` in which a 2-D block can be stored: 1 to 8 rows of 4 to 64 bytes, a multiple of 4.
pub trait Store2d<T: Elem> {}

impl<T: Elem, const R: usize, const C: usize> Store2d<T> for Shape<R, C>
where
    Len<R>: Count<UInt: PositiveSize + IsLessOrEqual<U8, Output: AtMost8Rows>>,
    Len<C>: Count<UInt: PositiveSize>,
    U<C>: Mul<T::Size>,
    Width<T, C>: Rem<U4, Output: RowOfDwords> + IsLessOrEqual<U64, Output: RowOf64Bytes>,
{
}
