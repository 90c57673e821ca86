//! Sub-groups: their sizes, the types they exchange, and the columns of image blocks.

use super::buffer::Remainder;
use super::count::Len;
use crate::elem::{Numeric, f16};

/// A length that a sub-group can have: 8, 16 or 32 work items.
///
/// This is the only bound of the built-ins of [`subgroups`](../../cm/subgroups/index.html): a const-generic
/// kernel or helper writes `where Len<N>: SubGroup`.
#[diagnostic::on_unimplemented(
    message = "a sub-group has 8, 16 or 32 work items",
    label = "not the size of a sub-group",
    note = "the size of a sub-group is the length of its vectors: `Vector<T, 8>`, `Vector<T, 16>` or \
            `Vector<T, 32>`",
    note = "a size that is a parameter is not known here: repeat the bound, `where Len<N>: SubGroup`"
)]
pub trait SubGroup {}
impl SubGroup for Len<8> {}
impl SubGroup for Len<16> {}
impl SubGroup for Len<32> {}

/// An element type that the work items of a sub-group exchange, combine and compare:
/// `i32 u32 i64 u64 f16 f32 f64`.
///
/// It is the `gentype` of cl_intel_subgroups: `int uint long ulong half float double`.
#[diagnostic::on_unimplemented(
    message = "work items of a sub-group do not exchange `{Self}`",
    label = "not an element of sub-group built-ins",
    note = "the elements are `i32`, `u32`, `i64`, `u64`, `f16`, `f32` and `f64`; `.convert::<i32>()` makes \
            some of smaller integers"
)]
pub trait SubGroupElem: Numeric {
    /// The smallest value; minus infinity for floats.
    const LOWEST: Self;
    /// The largest value; infinity for floats.
    const HIGHEST: Self;
}

macro_rules! elements {
    ($($t:ident $lowest:ident $highest:ident;)*) => {$(
        impl SubGroupElem for $t {
            const LOWEST: Self = Self::$lowest;
            const HIGHEST: Self = Self::$highest;
        }
    )*};
}

elements! {
    i32 MIN MAX;
    u32 MIN MAX;
    i64 MIN MAX;
    u64 MIN MAX;
    f16 NEG_INFINITY INFINITY;
    f32 NEG_INFINITY INFINITY;
    f64 NEG_INFINITY INFINITY;
}

/// Leaf: a literal byte column of a written block.
#[diagnostic::on_unimplemented(
    message = "an image block is written at a multiple of 4 bytes",
    label = "not a multiple of 4",
    note = "the column counts bytes, not texels; blocks are read at any of them"
)]
pub trait BlockColumn {}
impl BlockColumn for Remainder<0> {}
impl BlockColumn for Remainder<4> {}
impl BlockColumn for Remainder<8> {}
impl BlockColumn for Remainder<12> {}
