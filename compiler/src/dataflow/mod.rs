//! Facts about the values of a kernel without its data: one traversal of its instructions for all analyses.
//!
//! ```text
//! facts, origin, loads, points <- forward, backward
//! ```
//!
//! An analysis is a lattice of facts, with rules for some operations. For all other operations the framework uses the
//! facts of elements that only move, or otherwise the fact that is true of everything. So a new operation cannot be
//! forgotten: an analysis without a rule for it is less precise but still correct.
//!
//! | Pass | A fact is | Used for |
//! |---|---|---|
//! | [`forward`] | true of every element of a value, on every path | ranges, affine numbers |
//! | [`backward`] | a demand of users on a value | used bits |
//! | [`points`] | true between two instructions | liveness |
//!
//! A variable has one fact, which joins all stored values: the passes repeat until no variable changes. `loads` finds
//! the last store of a variable.

mod backward;
mod facts;
mod forward;
mod loads;
mod origin;
mod points;

pub use backward::{Backward, backward};
pub use facts::Facts;
pub use forward::{Forward, forward};
pub(crate) use loads::loads;
pub use origin::{Origin, origin};
pub use points::{Points, points};

#[cfg(test)]
mod tests;
