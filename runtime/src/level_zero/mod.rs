//! Kernels on Intel GPUs through Level Zero.
//!
//! ```text
//! api (calls), generation (targets) <- properties <- context <- staging, timer; outcome <- stream
//!     <- transfer <- memory; padding <- image
//! cache (compiled kernels on disk), installed_compiler (which one), compiler_process (crashes elsewhere),
//!     debug_info (kernels with lines) <- module
//! memory, image, module, named_barriers (does the compiler count them) <- gpu <- argument <- values <- launch
//! probe (what there is without a driver), gpu <- devices (starting, finding) <- report (for people), compile
//!     (for others)
//! ```
//!
//! Every object created in a context holds a reference to it, so that no handle outlives its parent; dropping an object
//! destroys its handle. All commands of a device go through one stream, in order. Without the feature, and on systems
//! without Level Zero, `disabled` replaces all of it.

mod argument;
#[cfg(not(level_zero))]
mod disabled;

#[cfg(level_zero)]
mod api;
#[cfg(level_zero)]
mod cache;
#[cfg(level_zero)]
mod compile;
#[cfg(level_zero)]
mod compiler_process;
#[cfg(level_zero)]
mod context;
#[cfg(level_zero)]
mod debug_info;
#[cfg(level_zero)]
mod devices;
#[cfg(level_zero)]
mod generation;
#[cfg(level_zero)]
mod gpu;
#[cfg(level_zero)]
mod image;
#[cfg(level_zero)]
mod installed_compiler;
#[cfg(level_zero)]
mod launch;
#[cfg(level_zero)]
mod memory;
#[cfg(all(test, level_zero))]
mod mock;
#[cfg(level_zero)]
mod module;
#[cfg(level_zero)]
mod named_barriers;
#[cfg(level_zero)]
mod outcome;
#[cfg(level_zero)]
mod padding;
#[cfg(level_zero)]
mod probe;
#[cfg(level_zero)]
mod properties;
#[cfg(level_zero)]
mod report;
#[cfg(level_zero)]
mod staging;
#[cfg(level_zero)]
mod stream;
#[cfg(level_zero)]
mod timer;
#[cfg(level_zero)]
mod transfer;
#[cfg(level_zero)]
mod values;

pub(crate) use argument::Argument;
#[cfg(not(level_zero))]
pub(crate) use disabled::{
    Batches, DeviceBytes, DeviceImage, DeviceMemory, DeviceTiming, Gpu, Report, compile_requested, count,
    enqueue, open, report, run,
};
#[cfg(level_zero)]
pub(crate) use {
    compile::compile_requested,
    devices::{count, open},
    gpu::{DeviceBytes, DeviceImage, DeviceMemory, DeviceTiming, Gpu},
    launch::{enqueue, run},
    outcome::Batches,
    report::{Report, report},
};
