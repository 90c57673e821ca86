//! Messages: what execution units send to data ports, to the sampler, to the gateway and to the thread spawner.
//!
//! Descriptors and payloads are those of Intel's public "Programmer's Reference Manual" for Skylake, volume 7, and of
//! what Intel's compiler makes (`libigc`, whose disassembler names each message).

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
pub(crate) use surface::place;
pub(crate) use table::find;
