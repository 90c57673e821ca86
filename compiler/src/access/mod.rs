//! The accesses of a kernel to its surfaces and buffers, as far as they are known without data.
//!
//! The analysis follows the coordinates of surface accesses and the offsets of buffer accesses as affine functions of
//! the thread's coordinates, in loops with a spread. From these an executor proves that groups of kernel threads do not
//! conflict. The estimate of a thread's work counts loops as often as they run, if the number of iterations is known.

mod affine;
mod analysis;
mod buffer;
mod cells;
mod counted;
mod footprint;
mod levels;
mod merge;
mod numbers;
mod obstacle;
mod steps;
mod summary;
mod team;
mod wave;
mod work;

#[cfg(test)]
mod tests;

pub use affine::Affine;
pub use analysis::{Analysis, summary, summary_in, uniforms};
pub use buffer::Segment;
pub use footprint::{Footprint, Footprint3d};
pub use merge::Merge;
pub use obstacle::Obstacle;
pub use summary::{Block2dUse, Moved, Space, Summary, SurfaceUse, TexelAccess};
pub use wave::Neighbourhood;
