//! A simulated Intel GPU: executes the machine code that Intel's compiler generates, under Intel's own driver
//! or alone.
//!
//! `dispatch` connects the two halves: the device and its command streamer create threads, and the execution
//! units run them. `launch` creates threads without a device.

pub mod binary;
#[cfg(target_os = "linux")]
pub mod device;
pub mod dispatch;
pub mod eu;
pub mod generation;
mod isa;
mod kept;
pub mod launch;
#[cfg(target_os = "linux")]
mod log;
pub mod memory;
mod messages;
#[cfg(target_os = "linux")]
mod product;
mod sampler;
#[cfg(target_os = "linux")]
pub mod settings;
#[cfg(target_os = "linux")]
mod streamer;
#[cfg(target_os = "linux")]
mod time;
