//! Execution units: programs of machine code, and the threads that run them.
//!
//! [`Program`] is a kernel's code, decoded once. [`Thread`] has the registers of a hardware thread and executes a
//! program until it ends or waits. Facts about instructions are those of Intel's public "Programmer's Reference
//! Manual" for Skylake, volume 2a (instructions) and volume 7 (the execution unit's operands and regions).

mod accumulator;
mod assembly;
mod control;
mod disassembler;
mod execute;
mod extended;
mod flags;
mod float;
mod instruction;
mod integer;
mod math;
mod numbers;
mod operand;
mod program;
mod real;
mod region;
mod registers;
mod thread;
mod trace;
mod trouble;

pub(crate) use instruction::{Descriptor, Instruction, Opcode};
pub(crate) use numbers::{Rounding, half_from_f64, half_to_f32};
pub(crate) use operand::{File, Operand, Place};
pub use program::{DecodeError, Program};
pub(crate) use registers::Registers;
pub use thread::Thread;
pub(crate) use trouble::Trouble;

/// The bits of the number of 16 bits next to a number.
#[must_use]
pub fn half(value: f64) -> u16 {
    half_from_f64(value, Rounding::Nearest)
}
