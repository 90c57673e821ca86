//! Units of the [`Offset`]s of accesses to surfaces and buffers.
//!
//! Host offsets are checked when the kernel is recorded. Where offsets must be aligned, `#[kernel]` turns
//! literals into types, so that `cargo check` checks them.

use cm_compiler::limits;
use cm_macros::op;

use crate::backend::{Backend, require};
use crate::elem::Int;
use crate::limits::{BlockColumn, ColumnOfDwords, DwordAligned, LitBytes, OwordAligned, Remainder};
use crate::registers::{Counts, Offset, Scalar};

/// A coordinate of a surface: a signed 32-bit number. Columns count bytes, rows count rows.
#[derive(Debug)]
pub struct Coordinate;

impl<B: Backend> Counts<B> for Coordinate {
    type Value = B::Reg<i32, 1, 1>;

    #[op]
    fn host(number: i128) -> Self::Value {
        require::<B>(limits::coordinate(number));
        // The cast of a number out of range is never used: `require` has noted the violation.
        B::constant([[number as i32]])
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value {
        number.convert::<i32>().into_reg()
    }
}

/// The byte column of a write: a multiple of 4. `cargo check` checks literals; the write checks the others.
#[derive(Debug)]
pub struct WriteColumn;

impl<B: Backend> Counts<B> for WriteColumn {
    type Value = B::Reg<i32, 1, 1>;

    #[op]
    fn host(number: i128) -> Self::Value {
        <Coordinate as Counts<B>>::host(number)
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value {
        Coordinate::staged(number)
    }
}

/// A byte column that is a multiple of 4. A staged column is checked when the kernel is recorded if it depends
/// only on the thread's coordinates.
#[derive(Debug)]
pub struct DwordColumn;

impl<B: Backend> Counts<B> for DwordColumn {
    type Value = B::Reg<i32, 1, 1>;

    #[op]
    fn host(number: i128) -> Self::Value {
        require::<B>(limits::media_block_io_column(number));
        <Coordinate as Counts<B>>::host(number)
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value {
        let column = Coordinate::staged(number);
        B::whole_dwords(column);
        column
    }
}

/// The offset of a block in bytes: an unsigned 32-bit number, a multiple of `ALIGNMENT`.
#[derive(Debug)]
pub struct ByteOffset<const ALIGNMENT: usize>;

impl<const ALIGNMENT: usize, B: Backend> Counts<B> for ByteOffset<ALIGNMENT> {
    type Value = B::Reg<u32, 1, 1>;

    #[op]
    fn host(number: i128) -> Self::Value {
        require::<B>(limits::block_offset(number, ALIGNMENT));
        B::constant([[number as u32]])
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value {
        number.convert::<u32>().into_reg()
    }
}

/// The base of scattered accesses in elements: an unsigned 32-bit number, `None` if it is known to be 0.
#[derive(Debug)]
pub struct ElementBase;

impl<B: Backend> Counts<B> for ElementBase {
    type Value = Option<Scalar<u32, B>>;

    #[op]
    fn host(number: i128) -> Self::Value {
        require::<B>(limits::buffer_element(number));
        (number != 0).then(|| Scalar::from_reg(B::constant([[number as u32]])))
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value {
        Some(number.convert::<u32>())
    }
}

/// The base of scattered accesses in bytes: an unsigned 32-bit number, `None` if it is known to be 0.
#[derive(Debug)]
pub struct ByteBase;

impl<B: Backend> Counts<B> for ByteBase {
    type Value = Option<Scalar<u32, B>>;

    #[op]
    fn host(number: i128) -> Self::Value {
        require::<B>(limits::buffer_byte(number));
        (number != 0).then(|| Scalar::from_reg(B::constant([[number as u32]])))
    }

    #[op]
    fn staged<T: Int>(number: Scalar<T, B>) -> Self::Value {
        Some(number.convert::<u32>())
    }
}

macro_rules! literals {
    ($($counts:ty, $leaf:ident;)*) => {$(
        impl<const I: usize, const LOW: usize, B: Backend> Offset<$counts, B> for LitBytes<I, LOW>
        where
            Remainder<LOW>: $leaf,
        {
            const STAGED: bool = false;

            #[op]
            fn value(self) -> <$counts as Counts<B>>::Value {
                <$counts as Counts<B>>::host(I as i128)
            }
        }
    )*};
}

literals! {
    WriteColumn, BlockColumn;
    DwordColumn, ColumnOfDwords;
    ByteOffset<16>, OwordAligned;
    ByteOffset<4>, DwordAligned;
}
