//! The CPU executor: the direct body of a kernel, over the thread space.
//!
//! ```text
//! thread, copy, edge <- surface, buffer, printing; isa <- workers <- stack <- executor
//! ```

mod buffer;
mod copy;
mod edge;
mod executor;
mod isa;
mod printing;
mod stack;
mod surface;
mod thread;
mod workers;

pub(crate) use buffer::BufferBorrow;
pub(crate) use executor::{Argument, run};
pub(crate) use surface::{Layout, SurfaceBorrow};
pub(crate) use workers::Workers;
