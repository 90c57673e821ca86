//! Operators of registers, scalars and places: the traits of the standard library, comparisons, assignments,
//! masks, and operators whose result is converted immediately.

mod arith;
mod compound;
mod computes;
mod left;
mod merge;
mod operand;
mod pending;

// Last, so that `simd_lt` and the others are at the end of the rustdoc pages.
mod compare;

pub use compare::{BothHold, Compare, HostCompare, OfConditions, OfMasks, between, beyond, compare};
pub use compound::{Compound, Strips, compound, compound_in, end_strip, strip, strips};
pub use computes::Computes;
pub use left::{RightOf, left, left_untyped};
pub use merge::{Alike, Mask, MergeSource, Reshaped};
pub use pending::{
    AtOnce, InnerMatrix, InnerVector, LeftOf, Operated, PendingMatrix, PendingVector, function, inner, mask,
    pending, pending_untyped, stack_slot, value,
};
