//! Register usage: what a kernel keeps in registers at each point, the subject of CM's tutorial 11.
//!
//! What is counted are the objects as the source has them. Not counted is what the hardware does not keep:
//! constants and splats (immediates and broadcasts), selected regions (operands address them in place),
//! conditions (flags), and results that are converted at once (instructions convert what they write). Counted
//! besides are integer operands of float operations, which are converted before.
//!
//! Nor is a block counted that the lowering makes of neighbouring ones, which it does while a quarter of the registers
//! stays free.
//!
//! For the tutorial kernels the peak is within a quarter of the smallest register file in which Intel's
//! compiler does not spill; with more registers than it needs the compiler takes more.

mod liveness;
mod point;
mod render;
mod report;
mod widths;

pub use point::Point;
pub use report::RegisterReport;
