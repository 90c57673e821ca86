//! Execution units: decoded machine code, and the threads that run it.
//!
//! A [`Program`] is the code of a kernel, decoded once. A [`Thread`] has the registers of a hardware thread,
//! and executes a program until it ends or waits. Instructions are implemented from Intel's public
//! "Programmer's Reference Manual" for Skylake, volume 2a (instructions) and volume 7 (operands and regions
//! of the execution unit).

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

/// The bits of the half for a number, rounded.
#[must_use]
pub fn half(value: f64) -> u16 {
    half_from_f64(value, Rounding::Nearest)
}
