//! Kernels by address, decoded once.

use std::sync::Arc;

use crate::eu::{DecodeError, Program};
use crate::generation::Machine;
use crate::kept::Kept;
use crate::memory::Span;

/// The maximum bytes of a kernel.
const KERNEL: usize = 1 << 20;

/// A kernel, and the bytes that it was decoded from.
struct Known {
    code: Vec<u8>,
    program: Arc<Program>,
}

/// Kernels that were decoded.
pub(super) struct Programs {
    machine: Machine,
    known: Kept<u64, Known>,
}

impl Programs {
    /// An empty cache for these execution units.
    pub(super) fn new(machine: Machine) -> Self {
        Self { machine, known: Kept::default() }
    }

    /// Removes programs for another number of registers.
    pub(super) fn set_registers(&mut self, registers: usize) {
        if self.machine.registers != registers {
            self.machine.registers = registers;
            self.known.clear();
        }
    }

    /// The execution units that they are for.
    pub(super) fn machine(&self) -> Machine {
        self.machine
    }

    /// The kernel at an address. `bytes` begin at the kernel and may extend beyond it. The kernel is decoded
    /// again if its bytes have changed.
    pub(super) fn get(&mut self, address: u64, bytes: Span<'_>) -> Result<Arc<Program>, DecodeError> {
        if let Some(known) = self.known.get(&address)
            && bytes.begins_with(&known.code)
        {
            return Ok(Arc::clone(&known.program));
        }
        let mut code = bytes.copied(KERNEL);
        let program = Program::decode(&code, self.machine)?;
        code.truncate(program.end() as usize);
        code.shrink_to_fit();
        self.known.insert(address, Known { code, program: Arc::clone(&program) });
        Ok(program)
    }

    /// Registers a program for the bytes at an address, without a disassembler.
    #[cfg(test)]
    pub(super) fn take_for(&mut self, address: u64, code: Vec<u8>, program: Arc<Program>) {
        self.known.insert(address, Known { code, program });
    }
}
