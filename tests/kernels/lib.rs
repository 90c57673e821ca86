//! Kernels that several suites run: those of the examples and of the benches, where they stand, and those of
//! tests.
//!
//! They are a crate of the suites' own package, so that nothing else compiles them.

#[path = "../../examples/bitonic_sort/kernels.rs"]
pub mod bitonic_sort;
pub mod buffers;
pub mod exits;
#[path = "../../benches/kernels/mod.rs"]
pub mod families;
#[path = "../../examples/feature_distances/kernels.rs"]
pub mod feature_distances;
pub mod groups;
#[path = "../../examples/hello_world/kernels.rs"]
pub mod hello_world;
#[path = "../../examples/histogram/kernels.rs"]
pub mod histogram;
#[path = "../../examples/horizontal_difference/kernels.rs"]
pub mod horizontal_difference;
#[path = "../instruction_sets/kernels.rs"]
pub mod instruction_sets;
#[path = "../../examples/linear/kernels.rs"]
pub mod linear;
#[path = "../../examples/mandelbrot/kernels.rs"]
pub mod mandelbrot;
#[path = "../../examples/matrix_product/kernels.rs"]
pub mod matrix_product;
pub mod media_block_io;
#[path = "../../examples/multi_kernels/kernels.rs"]
pub mod multi_kernels;
#[path = "../../examples/nbody/kernels.rs"]
pub mod nbody;
pub mod places;
#[path = "../../examples/prefix_sum/kernels.rs"]
pub mod prefix_sum;
pub mod printf;
#[path = "../../examples/radix_sort/kernels.rs"]
pub mod radix_sort;
#[path = "../../examples/sepia/kernels.rs"]
pub mod sepia;
pub mod simd;
pub mod split;
pub mod staging;
pub mod subgroups;
pub mod thread_groups;
#[path = "../../examples/transpose/kernels.rs"]
pub mod transpose;
