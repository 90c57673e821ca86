//! What a kernel does to its surfaces and buffers, as far as it shows without data.
//!
//! The coordinates of surface accesses and the offsets of blocks of buffers are followed as affine functions
//! of the thread's coordinates, in loops with a spread, from which an executor proves that groups of kernel threads do not
//! disturb each other. Loops whose rounds are known this way count as often in the estimate of a thread's work.

mod affine;
mod analysis;
mod buffer;
mod cells;
mod counted;
mod merge;
mod summary;
mod wave;
mod work;

pub use affine::Affine;
pub use analysis::{Analysis, summary, summary_in, uniforms};
pub use buffer::Segment;
pub use merge::Merge;
pub use summary::{Block2dAccess, BlockAccess, Footprint, Space, Summary};
pub use wave::Neighbourhood;
