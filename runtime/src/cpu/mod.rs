//! The CPU executor: runs the compiled body of a kernel over the thread space.
//!
//! ```text
//! thread, copy, edge, turns, places <- races <- group <- surface, buffer, printing, teams <- argument
//!     <- copies, engine, native; isa, chosen <- workers <- stack; shares <- executor
//! ```

mod argument;
mod buffer;
mod chosen;
mod clocks;
mod copies;
mod copy;
mod edge;
mod engine;
mod executor;
mod group;
mod isa;
mod native;
mod places;
mod printing;
mod races;
mod shares;
mod stack;
mod surface;
mod teams;
mod thread;
mod turns;
mod workers;

pub(crate) use argument::Argument;
pub(crate) use buffer::BufferBorrow;
pub(crate) use executor::run;
pub(crate) use native::Code;
pub(crate) use surface::{Layout, SurfaceBorrow};
pub(crate) use workers::Workers;
