//! Byte columns of regions.

use cm_macros::op;

use crate::backend::Backend;
use crate::elem::Int;
use crate::limits::{LitBytes, Remainder, Violation};
use crate::registers::Scalar;
use crate::surface::Coordinate;

/// A byte column that is a multiple of 4: an integer literal, a host integer of any type, or a staged integer.
///
/// Literals are checked by `cargo check`; host numbers, and staged ones that depend on the thread's coordinates only, when
/// the kernel is recorded.
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

macro_rules! hosts {
    ($($t:ident)*) => {$(
        impl<B: Backend> DwordColumn<B> for $t {
            #[op]
            fn into_column(self) -> B::Reg<i32, 1, 1> {
                if self % 4 != 0 {
                    B::violation(Violation::MediaBlockIoColumn { column: self as i128 });
                }
                Coordinate::<B>::into_coordinate(self)
            }
        }
    )*};
}

hosts! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize }

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
