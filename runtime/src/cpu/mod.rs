//! The CPU executor: runs the compiled body of a kernel over the thread space.
//!
//! ```text
//! thread, copy, edge, singles <- gather; turns, places <- clocks <- races <- group; surface_borrow, buffer_borrow
//!     <- surface, buffer <- outside; printing, teams <- argument
//!     <- copies, engine, native; isa, chosen <- workers <- stack; helpers <- shares; copies <- proof
//!     <- stretch <- executor
//! ```

mod argument;
mod buffer;
mod buffer_borrow;
mod chosen;
mod clocks;
mod copies;
mod copy;
mod edge;
mod engine;
mod executor;
mod gather;
mod group;
mod helpers;
mod isa;
mod native;
mod outside;
mod places;
mod printing;
mod proof;
mod races;
mod shares;
#[cfg(target_arch = "x86_64")]
mod singles;
mod stack;
mod stretch;
mod surface;
mod surface_borrow;
mod teams;
mod thread;
mod turns;
mod workers;

pub(crate) use argument::Argument;
pub(crate) use buffer_borrow::BufferBorrow;
pub(crate) use executor::run;
pub(crate) use native::Code;
pub(crate) use surface_borrow::{Layout, SurfaceBorrow};
pub(crate) use workers::Workers;
