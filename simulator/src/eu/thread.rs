//! A thread and its registers.

use std::sync::Arc;

use super::Program;
use crate::dispatch::{Fault, Start, Stop, Surroundings};
use crate::memory::Block;

/// A hardware thread.
#[derive(Debug)]
pub struct Thread {
    _program: Arc<Program>,
    _start: Start,
    _shared: Option<Block>,
}

impl Thread {
    /// A thread before its first instruction. `shared` is the shared local memory of its group.
    #[must_use]
    pub fn new(program: Arc<Program>, start: Start, shared: Option<Block>) -> Self {
        Self { _program: program, _start: start, _shared: shared }
    }

    /// Runs on until it ends, waits, or has run `budget` instructions.
    pub fn run(&mut self, _around: &dyn Surroundings, _budget: u64) -> Stop {
        Stop::Fault(Fault { at: 0, instruction: String::new(), why: "execution is not there yet".into() })
    }

    /// Instructions that it has run so far.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        0
    }
}
