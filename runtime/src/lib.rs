//! Devices, surfaces, buffers, thread spaces and launches of cm kernels. See the `cm` crate for an introduction.
//!
//! ```text
//! error <- format, thread_space <- device <- surface, buffer <- argument <- scope, launch -> cpu (executor)
//!                                                                                      -> level_zero
//! ```

mod argument;
mod buffer;
mod cpu;
mod device;
mod error;
mod event;
mod format;
mod launch;
mod level_zero;
mod linear_surface;
mod scope;
mod surface;
mod thread_space;

pub use argument::{Arg, LaunchArg, Uniform};
pub use buffer::{Buffer, BufferBytes};
pub use device::Device;
pub use error::Error;
pub use event::Event;
pub use format::Format;
pub use launch::{enqueue, launch};
pub use level_zero::{Diagnosis, LevelZeroError, diagnose};
pub use scope::Scope;
pub use surface::Surface2D;
pub use thread_space::ThreadSpace;

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;
