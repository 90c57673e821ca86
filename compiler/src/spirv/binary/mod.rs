//! SPIR-V modules of this dialect as data, and as words.

mod instruction;
mod layout;
mod numbers;
#[cfg(test)]
mod tests;

pub(super) use instruction::{Instruction, Operand};
pub(super) use layout::{Block, Function, Module};
pub(super) use numbers::{
    ASSEMBLY, AccessQualifier, Capability, DEBUG_INFO, DIM_2D, DIM_3D, DONT_UNROLL, DebugInstruction,
    Decoration, ExecutionMode, IMPORT, KERNEL, NONE, OPENCL, Op, PHYSICAL_64, StorageClass,
};

use thiserror::Error;

/// A word of SPIR-V.
pub(super) type Word = u32;

/// Why words are not a module of this dialect. `at` is the index of the word.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum DecodeError {
    #[error("the header is not that of a SPIR-V 1.0 module")]
    Header,
    #[error("word {at}: the instruction has {words} words, which is none or more than there are")]
    Length { at: usize, words: usize },
    #[error("word {at}: there is no instruction {number} in this dialect")]
    Operation { at: usize, number: Word },
    #[error("word {at}: the operands are not those of Op{op:?}")]
    Operands { at: usize, op: Op },
    #[error("Op{op:?} is out of place")]
    Place { op: Op },
    #[error("the module ends within a function")]
    Unfinished,
}
