//! What a kernel does to its surfaces, as far as it shows without data.
//!
//! The coordinates of surface accesses are followed as affine functions of the thread's coordinates, from which an
//! executor proves that kernel threads do not disturb each other.

mod affine;
mod analysis;
mod outline;

pub use affine::Affine;
pub use analysis::outline;
pub use outline::{Access, Claim, Outline, Space};
