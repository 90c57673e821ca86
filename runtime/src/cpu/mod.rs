//! The CPU executor: the direct body of a kernel, over the thread space.
//!
//! ```text
//! thread, copy, edge, turns, places <- races <- group <- surface, buffer, printing, teams; isa <- workers <- stack <- executor
//! ```

mod buffer;
mod copy;
mod edge;
mod executor;
mod group;
mod isa;
mod places;
mod printing;
mod races;
mod stack;
mod surface;
mod teams;
mod thread;
mod turns;
mod workers;

pub(crate) use buffer::BufferBorrow;
pub(crate) use executor::{Argument, run};
pub(crate) use surface::{Layout, SurfaceBorrow};
pub(crate) use workers::Workers;
