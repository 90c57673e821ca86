//! Devices, surfaces, buffers, thread spaces and launches of cm kernels. See the `cm` crate for an
//! introduction.
//!
//! `ARCHITECTURE.md` has the order of the modules.
//!
//! The folders `cpu` and `level_zero` run kernels on their own kinds of arguments, `cpu::Argument` and
//! `level_zero::Argument`. They know nothing of surfaces and buffers, which own the memory. `argument` converts an
//! argument for each device, and `launch` connects the parts.

mod argument;
mod buffer;
mod compile;
mod cpu;
mod device;
mod diagnose;
mod engine;
mod environment;
mod error;
mod event;
mod format;
mod host_memory;
mod latest;
mod launch;
mod level_zero;
mod limits;
mod names;
mod parts;
mod printf;
mod proven;
mod recording;
mod rect;
mod rows;
mod scope;
mod surface;
mod surface_3d;
mod thread_groups;
mod thread_space;

// After `surface` and `buffer`, like `linear_surface`.
mod dump;

#[cfg(feature = "ndarray")]
mod arrays;
#[cfg(feature = "image")]
mod pictures;
#[cfg(any(feature = "image", feature = "ndarray"))]
mod samples;

// After `surface`: rustdoc lists the methods of a type in the order of modules, and `new` comes first.
mod contents;
mod contents_3d;
mod linear_surface;
mod samplers;
mod slice;
mod transfer;

pub use argument::{Arg, Args, Borrowed, LaunchArg, LaunchArgs, Memory, Uniform};
#[cfg(feature = "ndarray")]
pub use arrays::PictureDimension;
pub use buffer::{Buffer, BufferBytes};
pub use compile::compile_for_parent;
pub use device::Device;
pub use diagnose::{Diagnosis, diagnose};
pub use engine::CpuEngine;
pub use error::{Error, GroupFault, LevelZeroError, Race, Result};
pub use event::{Event, OneByOne};
pub use format::Format;
pub use launch::{enqueue, launch};
pub use linear_surface::FromBufferError;
#[cfg(feature = "image")]
pub use pictures::{Picture, PictureMut, PictureRows, PictureRowsMut};
pub use printf::{PrintfLine, PrintfOutput};
pub use recording::{Recording, recording};
#[cfg(any(feature = "image", feature = "ndarray"))]
pub use samples::Sample;
pub use scope::{Enqueued, Scope};
pub use slice::{BufferSlice, BufferSliceMut};
pub use surface::Surface2D;
pub use surface_3d::Surface3D;
pub use thread_groups::{LaunchSpace, ThreadGroups, Threads};
pub use thread_space::{MaskedThreadSpace, ThreadSpace};
pub use transfer::Download;
