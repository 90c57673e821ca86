//! Random kernels as Rust source.

mod batch;
mod generate;
mod groups;
mod memory;
mod program;
mod reduce;
mod steps;

pub use batch::{Batch, Given, difference};
pub use generate::program;
pub use program::Program;
pub use reduce::reduced;
