//! The instructions of a kernel.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::assembly;
use super::decode_error::DecodeError;
use super::disassembler;
use super::instruction::Instruction;
use super::trouble::Trouble;
use crate::generation::Machine;
use crate::kept::Kept;

/// A kernel in the form that threads execute.
#[derive(Debug)]
pub struct Program {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) texts: Vec<String>,
    pub(crate) machine: Machine,
}

/// Programs that were already decoded.
type Known = Mutex<Kept<(Vec<u8>, Machine), Arc<Program>>>;

impl Program {
    /// Decodes machine code from its first instruction to the end of the thread; anything after that is
    /// ignored. The result is remembered.
    ///
    /// The disassembler is `libiga64.so.1` of Intel's graphics compiler, or the library that the environment
    /// variable `CM_SIMULATOR_IGA` names. The library of Debian 12 supports the generations up to Xe-HPC.
    ///
    /// # Errors
    ///
    /// If there is no disassembler, or if the code has an instruction that it or this crate does not support.
    pub fn decode(code: &[u8], machine: Machine) -> Result<Arc<Self>, DecodeError> {
        static KNOWN: OnceLock<Known> = OnceLock::new();
        let code = &code[..disassembler::length(code, machine.generation)];
        let key = (code.to_vec(), machine);
        let known = KNOWN.get_or_init(Known::default);
        let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = lock().get(&key) {
            return Ok(Arc::clone(program));
        }
        let program = Self::decode_with(code, machine, None)?;
        lock().insert(key, Arc::clone(&program));
        Ok(program)
    }

    /// Decodes machine code with the disassembler at a path, or with the one of [`decode`](Self::decode). The
    /// result is not remembered.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    pub fn decode_with(
        code: &[u8],
        machine: Machine,
        disassembler: Option<&Path>,
    ) -> Result<Arc<Self>, DecodeError> {
        let code = &code[..disassembler::length(code, machine.generation)];
        Self::assemble(&disassembler::text(code, machine.generation, disassembler)?, machine)
    }

    /// Reads the text of Intel's assembler: an instruction a line, and labels with a colon.
    ///
    /// # Errors
    ///
    /// If a line is no instruction that this crate knows.
    ///
    /// ```
    /// use cm_simulator::eu::Program;
    /// use cm_simulator::generation::{Generation, Machine};
    ///
    /// let machine = Machine::of(Generation::Gen9);
    /// let program = Program::assemble(
    ///     "mov (8|M0) r20.0<1>:ud 0x1:ud
    ///      (W) send (8|M0) null r127 0x27 0x2000010 {EOT}",
    ///     machine,
    /// )?;
    /// assert_eq!(program.listing().next(), Some((0, "mov (8|M0) r20.0<1>:ud 0x1:ud")));
    /// let error = Program::assemble("smile (8|M0) r20.0<1>:ud", machine).unwrap_err();
    /// assert!(error.to_string().ends_with("not supported: opcode smile"));
    /// # Ok::<(), cm_simulator::eu::DecodeError>(())
    /// ```
    pub fn assemble(text: &str, machine: Machine) -> Result<Arc<Self>, DecodeError> {
        let (instructions, texts) = assembly::parse(text, machine).map_err(|bad| {
            DecodeError::Instruction { at: bad.at, line: bad.line, instruction: bad.text, why: bad.why }
        })?;
        if instructions.is_empty() {
            return Err(DecodeError::Empty);
        }
        Ok(Arc::new(Self { instructions, texts, machine }))
    }

    /// Its instructions: the byte offset of each in the kernel, and its text.
    pub fn listing(&self) -> impl Iterator<Item = (u32, &str)> {
        self.instructions.iter().zip(&self.texts).map(|(instruction, text)| (instruction.at, text.as_str()))
    }

    /// The execution unit that it is made for.
    #[must_use]
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// Its length in bytes.
    pub(crate) fn end(&self) -> u32 {
        self.instructions.last().map_or(0, Instruction::end)
    }

    /// The index of the instruction at a byte offset.
    pub(crate) fn index(&self, at: i64) -> Result<usize, Trouble> {
        self.instructions
            .binary_search_by_key(&at, |instruction| instruction.at.into())
            .map_err(|_| Trouble::Operand("leads to where no instruction begins"))
    }
}
