//! Random kernels as Rust source.

mod batch;
mod generate;
mod program;
mod steps;

pub use batch::{Batch, Given, difference};
pub use generate::program;
pub use program::Program;
