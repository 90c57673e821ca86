//! Operators of registers, scalars and places: the traits of the standard library, comparisons, assignments,
//! masks, and operators whose result is converted immediately.

mod arith;
mod computes;
mod left;
mod merge;
mod operand;
mod pending;

// Last, so that `simd_lt` and the others are at the end of the rustdoc pages.
mod compare;

pub use compare::{Compare, HostCompare, compare};
pub use computes::Computes;
pub use left::{RightOf, left, left_untyped};
pub use merge::{Alike, Mask, MergeSource, Reshaped};
pub use pending::{
    Compound, InnerMatrix, InnerVector, LeftOf, Operated, PendingMatrix, PendingVector, Strips, compound,
    compound_in, end_strip, inner, mask, pending, pending_untyped, room, strip, strips, value,
};
