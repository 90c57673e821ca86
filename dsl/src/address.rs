//! Where in memory an access is.

use cm_compiler::limits;

use crate::backend::{Backend, require};
use crate::elem::Int;
use crate::limits::{DwordAligned, LitBytes, OwordAligned, Remainder};
use crate::registers::Scalar;

/// An offset of a block in bytes, a multiple of `ALIGNMENT`: an integer literal, a host integer of any type, or a staged
/// integer.
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
#[inline(always)]
#[track_caller]
fn host<const ALIGNMENT: usize, B: Backend>(offset: i128) -> B::Reg<u32, 1, 1> {
    require::<B>(limits::block_offset(offset, ALIGNMENT));
    B::constant([[offset as u32]])
}

macro_rules! hosts {
    ($($t:ident)*) => {$(
        impl<const ALIGNMENT: usize, B: Backend> ByteOffset<ALIGNMENT, B> for $t {
            #[inline(always)]
            #[track_caller]
            fn into_bytes(self) -> B::Reg<u32, 1, 1> {
                host::<ALIGNMENT, B>(self as i128)
            }
        }
    )*};
}

hosts! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize }

impl<const ALIGNMENT: usize, T: Int, B: Backend> ByteOffset<ALIGNMENT, B> for Scalar<T, B> {
    #[inline(always)]
    #[track_caller]
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
            #[inline(always)]
            #[track_caller]
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
