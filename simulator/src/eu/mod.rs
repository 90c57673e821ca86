//! Execution units: programs of machine code and the threads that run them.

mod program;
mod thread;

pub use program::{DecodeError, Program};
pub use thread::Thread;
