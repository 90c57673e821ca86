//! The CPU executor: the direct body of a kernel, over the thread space.

mod copy;
mod edge;
mod executor;
mod isa;
mod linear;
mod memory;
mod workers;

pub(crate) use executor::run;
pub(crate) use workers::Workers;
