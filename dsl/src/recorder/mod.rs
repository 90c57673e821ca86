//! The recording backend: a kernel as [`ir`](cm_compiler::ir).
//!
//! It runs the body once: both arms of a staged `if`, host loops as often as they run, and the body of a staged loop a second
//! time, which finds copies of variables that are older than the stores of the first time.
//! Registers are handles of values or of variables. The first broken rule is reported with its line.

mod backend;
mod condition;
mod declared;
mod element;
mod error;
mod handle;
mod instructions;
mod mirror;
mod place;
mod record;
mod recording;
mod storage;

pub use condition::{Arms, Rounds, Truth};
pub use error::{Cause, RecordError};
pub use handle::{Handle, RecordedBuffer, RecordedSurface, Recorder};
pub use place::Place;
pub use record::{Recorded, Sampled, record};

#[cfg(test)]
mod tests;
