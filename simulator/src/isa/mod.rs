//! Instructions as data: machine code and text, operands and regions, registers.

mod annotation;
mod assembly;
mod decode_error;
mod disassembler;
mod domain;
mod instruction;
mod numbers;
mod operand;
mod program;
mod region;
mod registers;
mod trouble;

pub(crate) use annotation::{Counted, Pipe, Token};
pub use decode_error::DecodeError;
pub(crate) use instruction::{
    Combine, Condition, Descriptor, Detail, Domain, Function, Instruction, Opcode, Unit, Wait,
};
pub(crate) use numbers::{
    Mode, Rounding, flush, flush_double, flush_half, fused, fused_halves, half_from_f64, half_to_f32, narrow,
    restricted, round_f32, round_f64, short_from_f64, two_sum,
};
pub(crate) use operand::{File, Operand, Place, Shape, Type};
pub use program::Program;
pub(crate) use region::{Lanes, Number, gather, integers, offsets, raw_integers, scatter};
pub(crate) use registers::Registers;
pub(crate) use trouble::Trouble;
