//! Kernels that several suites run: those of the examples and of the benches, where they stand, and those of
//! tests.
//!
//! They are a crate of the suites' own package, so that nothing else compiles them.

pub mod buffers;
pub mod classes;
pub mod exits;
#[path = "../../benches/kernels/mod.rs"]
pub mod families;
pub mod groups;
#[path = "../../examples/horizontal_difference/kernels.rs"]
pub mod horizontal_difference;
#[path = "../instruction_sets/kernels.rs"]
pub mod instruction_sets;
#[path = "../../examples/linear/kernels.rs"]
pub mod linear;
#[path = "../../examples/matrix_product/kernels.rs"]
pub mod matrix_product;
pub mod media_block_io;
pub mod places;
pub mod printf;
pub mod simd;
pub mod split;
pub mod staging;
pub mod subgroups;
pub mod thread_groups;
