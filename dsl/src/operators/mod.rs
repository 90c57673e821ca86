//! What can be done with registers, scalars and places by operators: the traits of the standard library,
//! comparisons, assignments, masks, and operators whose result is converted at once.

mod arith;
mod compare;
mod computes;
mod left;
mod merge;
mod operand;
mod pending;

pub use compare::{Compare, CompareOp, compare};
pub use computes::Computes;
pub use left::{RightOf, left};
pub use merge::{Mask, MergeSource};
pub use operand::Operand;
pub use pending::{LeftOf, PendingMatrix, PendingVector, pending};
