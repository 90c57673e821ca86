//! Messages of execution units to data ports, the sampler, the gateway and the thread spawner.
//!
//! Descriptors and payloads are implemented from Intel's public "Programmer's Reference Manual" for Skylake,
//! volume 7, and from the code that Intel's compiler generates (the disassembler of `libigc` names each
//! message).

mod address;
mod atomic;
mod block;
mod descriptor;
mod format;
pub(crate) mod lsc;
mod media;
mod message;
mod port;
mod scattered;
mod surface;
mod table;
mod typed;
mod untyped;

pub(crate) use descriptor::{FUNCTIONS, Fields};
pub(crate) use format::Format;
pub(crate) use message::Message;
pub(crate) use port::Port;
pub(crate) use surface::place_in_slice;
pub(crate) use table::find;
