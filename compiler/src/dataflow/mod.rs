//! What is known of the values of a kernel without its data: one way through its instructions for all
//! analyses.
//!
//! ```text
//! facts, origin, loads, points <- forward, backward
//! ```
//!
//! An analysis is a lattice of facts and what it knows of some operations. It says nothing of the others:
//! there the framework takes what holds of elements that only move, or else the fact that is true of
//! everything. So an operation that is added cannot be forgotten; an analysis that does not know it yet is
//! less precise and still right.
//!
//! | Pass | A fact is | Used for |
//! |---|---|---|
//! | [`forward`] | what is known of every element of a value, whatever the way to it | ranges, affine numbers |
//! | [`backward`] | what users ask of a value | bits that somebody looks at |
//! | [`points`] | what holds between two instructions | liveness |
//!
//! Variables have one fact each, which joins all that is stored: the passes go round until no variable
//! changes. Where the last store is needed, [`loads`] tells it.

mod backward;
mod facts;
mod forward;
mod loads;
mod origin;
mod points;

pub use backward::{Backward, backward};
pub use facts::Facts;
pub use forward::{Forward, forward};
pub use loads::loads;
pub use origin::{Origin, origin};
pub use points::{Points, points};

#[cfg(test)]
mod tests;
