//! The built-ins of cl_intel_subgroups against scalar code, work item by work item: as plain Rust, in kernels
//! on the CPU, interpreted, and as machine code where there are `ocloc` and `CM_SIMULATOR_PROGRAM`.

mod blocks;
mod collective;
mod exchange;
mod executions;
mod model;
mod queries;
