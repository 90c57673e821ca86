//! The built-ins of cl_intel_subgroups against scalar code, one work item at a time: in plain Rust, in
//! kernels on the CPU, interpreted, and as machine code if `ocloc` is available.

mod blocks;
mod collective;
mod exchange;
mod executions;
mod model;
mod queries;
