//! The built-ins of cl_intel_subgroups against scalar code, work item by work item: as plain Rust, in kernels on the CPU,
//! interpreted, and as machine code where there are `ocloc` and `CM_GEN9EMU`.

#[path = "subgroups/blocks.rs"]
mod blocks;
#[path = "subgroups/collective.rs"]
mod collective;
#[path = "conformance/devices.rs"]
mod devices;
#[path = "machine_code/emulator.rs"]
mod emulator;
#[path = "subgroups/exchange.rs"]
mod exchange;
#[path = "subgroups/executions.rs"]
mod executions;
#[path = "subgroups/kernels.rs"]
mod kernels;
#[path = "interpreter/memory.rs"]
mod memory;
#[path = "subgroups/model.rs"]
mod model;
#[path = "buffers/noise.rs"]
mod noise;
#[path = "subgroups/queries.rs"]
mod queries;
