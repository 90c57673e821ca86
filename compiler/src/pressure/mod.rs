//! Register usage: the objects that a kernel keeps in registers at each point, the subject of CM's tutorial 11.
//!
//! The report counts the objects of the source. It does not count objects that the hardware does not keep: constants
//! and splats (immediates and broadcasts), selected regions (operands address them in place), conditions (flags), results
//! that are converted immediately (instructions convert their results), and results of `dpas` that are immediately put into a
//! part of an object. It also counts integer operands of float operations, which are converted first.
//!
//! It does not count a block that the lowering makes of neighbouring ones, which it does while a quarter of
//! the registers stays free.
//!
//! For the tutorial kernels the peak is within a quarter of the smallest register file in which Intel's compiler does
//! not spill; if more registers are available, the compiler uses more.

mod liveness;
mod point;
mod render;
mod report;
mod widths;

pub use point::Point;
pub use report::RegisterReport;
