//! Kernels on Intel GPUs, by Level Zero.
//!
//! ```text
//! api (calls) <- properties <- context <- staging <- stream <- memory; padding <- image
//! cache (compiled kernels on disk) <- module
//! memory, image, module <- gpu <- argument <- launch
//! probe (what there is without a driver), gpu <- devices (starting, finding) <- report (for people)
//! ```
//!
//! Whatever is made in a context holds it, so that no handle outlives its parent; dropping destroys. All
//! commands of a device go through one stream, in order. Where the feature is turned off, `disabled` stands
//! for all of it.

mod argument;
#[cfg(not(feature = "level-zero"))]
mod disabled;

#[cfg(feature = "level-zero")]
mod api;
#[cfg(feature = "level-zero")]
mod cache;
#[cfg(feature = "level-zero")]
mod context;
#[cfg(feature = "level-zero")]
mod devices;
#[cfg(feature = "level-zero")]
mod gpu;
#[cfg(feature = "level-zero")]
mod image;
#[cfg(feature = "level-zero")]
mod launch;
#[cfg(feature = "level-zero")]
mod memory;
#[cfg(all(test, feature = "level-zero"))]
mod mock;
#[cfg(feature = "level-zero")]
mod module;
#[cfg(feature = "level-zero")]
mod padding;
#[cfg(feature = "level-zero")]
mod probe;
#[cfg(feature = "level-zero")]
mod properties;
#[cfg(feature = "level-zero")]
mod report;
#[cfg(feature = "level-zero")]
mod staging;
#[cfg(feature = "level-zero")]
mod stream;

pub(crate) use argument::Argument;
#[cfg(not(feature = "level-zero"))]
pub(crate) use disabled::{DeviceImage, DeviceMemory, Gpu, Report, count, enqueue, open, report, run};
#[cfg(feature = "level-zero")]
pub(crate) use {
    devices::{count, open},
    gpu::{DeviceImage, DeviceMemory, Gpu},
    launch::{enqueue, run},
    report::{Report, report},
};
