//! Where in a surface or buffer an access is: an integer of the host, which is checked when the kernel is
//! recorded, a staged integer, or, where it must be aligned, a literal, which is checked by its type.

use cm_compiler::limits;
use cm_macros::op;

use crate::backend::{Backend, require};
use crate::elem::{Int, host_integers};
use crate::limits::{BlockColumn, ColumnOfDwords, DwordAligned, LitBytes, OwordAligned, Remainder};
use crate::registers::Scalar;

/// A coordinate: a host integer of any type or a staged integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a coordinate",
    label = "not an integer",
    note = "coordinates are integers, host or staged: x in bytes, y in rows; `.convert::<i32>()` makes one"
)]
pub trait Coordinate<B: Backend> {
    /// As CM passes it: a signed 32-bit number.
    #[track_caller]
    fn into_coordinate(self) -> B::Reg<i32, 1, 1>;
}

host_integers! {
    impl [B: Backend] Coordinate<B> {
        #[op]
        fn into_coordinate(self) -> B::Reg<i32, 1, 1> {
            let coordinate = self as i128;
            require::<B>(limits::coordinate(coordinate));
            B::constant([[coordinate as i32]])
        }
    }
}

impl<T: Int, B: Backend> Coordinate<B> for Scalar<T, B> {
    #[op]
    fn into_coordinate(self) -> B::Reg<i32, 1, 1> {
        self.convert::<i32>().into_reg()
    }
}

/// A byte column that a block is written to: an integer, host or staged, that is a multiple of 4. Literals
/// are tested by
/// `cargo check`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a coordinate",
    label = "not an integer",
    note = "coordinates are integers, host or staged: x in bytes, y in rows; `.convert::<i32>()` makes one"
)]
pub trait WriteColumn<B: Backend> {
    /// As CM passes it.
    #[doc(hidden)]
    #[track_caller]
    fn into_column(self) -> B::Reg<i32, 1, 1>;
}

host_integers! {
    impl [B: Backend] WriteColumn<B> {
        #[op]
        fn into_column(self) -> B::Reg<i32, 1, 1> {
            Coordinate::<B>::into_coordinate(self)
        }
    }
}

impl<T: Int, B: Backend> WriteColumn<B> for Scalar<T, B> {
    #[op]
    fn into_column(self) -> B::Reg<i32, 1, 1> {
        self.into_coordinate()
    }
}

impl<const I: usize, const LOW: usize, B: Backend> WriteColumn<B> for LitBytes<I, LOW>
where
    Remainder<LOW>: BlockColumn,
{
    #[op]
    fn into_column(self) -> B::Reg<i32, 1, 1> {
        Coordinate::<B>::into_coordinate(I)
    }
}

/// A byte column that is a multiple of 4: an integer literal, a host integer of any type, or a staged
/// integer.
///
/// Literals are checked by `cargo check`; host numbers, and staged ones that depend on the thread's
/// coordinates only, when the kernel is recorded.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a byte column",
    label = "not an integer",
    note = "coordinates are integers, host or staged: x in bytes, y in rows; `.convert::<i32>()` makes one"
)]
pub trait DwordColumn<B: Backend> {
    /// As the message takes it: a signed 32-bit number.
    #[track_caller]
    fn into_column(self) -> B::Reg<i32, 1, 1>;
}

host_integers! {
    impl [B: Backend] DwordColumn<B> {
        #[op]
        fn into_column(self) -> B::Reg<i32, 1, 1> {
            require::<B>(limits::media_block_io_column(self as i128));
            Coordinate::<B>::into_coordinate(self)
        }
    }
}

impl<const I: usize, const LOW: usize, B: Backend> DwordColumn<B> for LitBytes<I, LOW>
where
    Remainder<LOW>: ColumnOfDwords,
{
    #[op]
    fn into_column(self) -> B::Reg<i32, 1, 1> {
        Coordinate::<B>::into_coordinate(I)
    }
}

impl<T: Int, B: Backend> DwordColumn<B> for Scalar<T, B> {
    #[op]
    fn into_column(self) -> B::Reg<i32, 1, 1> {
        let column = self.into_coordinate();
        B::whole_dwords(column);
        column
    }
}

/// An offset of a block in bytes, a multiple of `ALIGNMENT`: an integer literal, a host integer of any type,
/// or a staged integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an offset into a buffer",
    label = "not an integer",
    note = "offsets of blocks count bytes and are integers, host or staged; `.convert::<u32>()` makes one"
)]
pub trait ByteOffset<const ALIGNMENT: usize, B: Backend> {
    /// The offset in bytes.
    #[track_caller]
    fn into_bytes(self) -> B::Reg<u32, 1, 1>;
}

/// A host number as an offset.
#[op]
fn host<const ALIGNMENT: usize, B: Backend>(offset: i128) -> B::Reg<u32, 1, 1> {
    require::<B>(limits::block_offset(offset, ALIGNMENT));
    B::constant([[offset as u32]])
}

host_integers! {
    impl [const ALIGNMENT: usize, B: Backend] ByteOffset<ALIGNMENT, B> {
        #[op]
        fn into_bytes(self) -> B::Reg<u32, 1, 1> {
            host::<ALIGNMENT, B>(self as i128)
        }
    }
}

impl<const ALIGNMENT: usize, T: Int, B: Backend> ByteOffset<ALIGNMENT, B> for Scalar<T, B> {
    #[op]
    fn into_bytes(self) -> B::Reg<u32, 1, 1> {
        self.convert::<u32>().into_reg()
    }
}

macro_rules! literals {
    ($($alignment:literal $leaf:ident;)*) => {$(
        impl<const I: usize, const LOW: usize, B: Backend> ByteOffset<$alignment, B> for LitBytes<I, LOW>
        where
            Remainder<LOW>: $leaf,
        {
            #[op]
            fn into_bytes(self) -> B::Reg<u32, 1, 1> {
                host::<$alignment, B>(I as i128)
            }
        }
    )*};
}

literals! {
    16 OwordAligned;
    4 DwordAligned;
}

/// An offset that elements are counted from: a host integer of any type or a staged integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an offset into a buffer",
    label = "not an integer",
    note = "offsets of elements are integers, host or staged; `.convert::<u32>()` makes one"
)]
pub trait ElementBase<B: Backend> {
    /// The offset in elements; `None` where it is 0.
    #[track_caller]
    fn into_elements(self) -> Option<Scalar<u32, B>>;
}

host_integers! {
    impl [B: Backend] ElementBase<B> {
        #[op]
        fn into_elements(self) -> Option<Scalar<u32, B>> {
            let offset = self as i128;
            require::<B>(limits::buffer_element(offset));
            (offset != 0).then(|| Scalar::from_reg(B::constant([[offset as u32]])))
        }
    }
}

impl<T: Int, B: Backend> ElementBase<B> for Scalar<T, B> {
    #[op]
    fn into_elements(self) -> Option<Scalar<u32, B>> {
        Some(self.convert::<u32>())
    }
}
