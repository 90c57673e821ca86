//! Devices, surfaces, buffers, thread spaces and launches of cm kernels. See the `cm` crate for an introduction.
//!
//! ```text
//! error <- format, thread_space <- device <- surface, buffer <- argument <- launch -> cpu (executor)
//!                                                                       spirv (pure)
//! ```

mod argument;
mod buffer;
mod cpu;
mod device;
mod error;
mod event;
mod format;
mod launch;
mod linear_surface;
pub mod spirv;
mod surface;
mod thread_space;

pub use argument::{Arg, LaunchArg, Uniform};
pub use buffer::{Buffer, BufferBytes};
pub use device::Device;
pub use error::Error;
pub use event::Event;
pub use format::Format;
pub use launch::launch;
pub use surface::Surface2D;
pub use thread_space::ThreadSpace;

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;
