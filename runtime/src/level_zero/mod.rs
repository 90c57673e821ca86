//! Kernels on Intel GPUs, by Level Zero.
//!
//! ```text
//! error, api (calls) <- properties, surroundings <- context <- stream, staging, module, image <- gpu <- launch
//!                                     devices (starting, finding) -------------------------------^
//!                                     cache (compiled kernels on disk) -----^    edge (padding) --^
//! diagnose (what is there, for people)
//! ```
//!
//! Whatever is made in a context holds it, so that no handle outlives its parent; dropping destroys. All commands of a
//! device go through one stream, in order.

mod diagnose;
mod error;

pub use diagnose::{Diagnosis, diagnose};
pub use error::LevelZeroError;

#[cfg(feature = "level-zero")]
mod api;
#[cfg(feature = "level-zero")]
mod cache;
#[cfg(feature = "level-zero")]
mod context;
#[cfg(feature = "level-zero")]
mod devices;
#[cfg(feature = "level-zero")]
mod edge;
#[cfg(all(test, feature = "level-zero"))]
mod fake;
#[cfg(feature = "level-zero")]
mod gpu;
#[cfg(feature = "level-zero")]
mod image;
#[cfg(feature = "level-zero")]
mod launch;
#[cfg(feature = "level-zero")]
mod module;
#[cfg(not(feature = "level-zero"))]
mod off;
#[cfg(feature = "level-zero")]
mod properties;
#[cfg(feature = "level-zero")]
mod staging;
#[cfg(feature = "level-zero")]
mod stream;
#[cfg(feature = "level-zero")]
mod surroundings;

#[cfg(feature = "level-zero")]
pub(crate) use {
    gpu::{DeviceImage, Gpu},
    launch::{enqueue, run},
    properties::Properties,
};

#[cfg(not(feature = "level-zero"))]
pub(crate) use off::{DeviceImage, Gpu, enqueue, run};
