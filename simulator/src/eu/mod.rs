//! Execution units: programs of machine code, and the threads that run them.
//!
//! [`Program`] is a kernel's code, decoded once. [`Thread`] has the registers of a hardware thread and executes a
//! program until it ends or waits. Facts about instructions are those of Intel's public "Programmer's Reference
//! Manual" for Skylake, volume 2a (instructions) and volume 7 (the execution unit's operands and regions).

mod accumulator;
mod barrier;
mod control;
mod execute;
mod extended;
mod flags;
mod float;
mod integer;
mod math;
mod matrix;
mod real;
mod scoreboard;
mod send;
mod thread;
mod trace;

pub use barrier::Barriers;

pub use crate::isa::{DecodeError, Program};
use crate::isa::{Rounding, half_from_f64};
pub use thread::Thread;

/// The bits of the number of 16 bits next to a number.
#[must_use]
pub fn half(value: f64) -> u16 {
    half_from_f64(value, Rounding::Nearest)
}
