//! Kernels by address, decoded once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::eu::{DecodeError, Program};
use crate::generation::{Generation, Machine};
use crate::memory::Span;

/// The most bytes of a kernel.
const KERNEL: usize = 1 << 20;
/// The most kernels that are kept.
const KEPT: usize = 1024;

/// A kernel, and the bytes of which it was decoded.
struct Known {
    code: Vec<u8>,
    program: Arc<Program>,
}

/// Kernels that were decoded.
#[derive(Default)]
pub(super) struct Programs(HashMap<u64, Known>);

impl Programs {
    /// The kernel at an address, whose bytes are these and those behind. It is decoded anew if the bytes have changed.
    pub(super) fn get(&mut self, address: u64, bytes: Span<'_>) -> Result<Arc<Program>, DecodeError> {
        if let Some(known) = self.0.get(&address)
            && bytes.begins_with(&known.code)
        {
            return Ok(Arc::clone(&known.program));
        }
        let mut code = bytes.copied(KERNEL);
        let program = Program::decode(&code, Machine::of(Generation::Gen9))?;
        code.truncate(program.end() as usize);
        code.shrink_to_fit();
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        self.0.insert(address, Known { code, program: Arc::clone(&program) });
        Ok(program)
    }

    /// Takes these bytes at an address for a program, without a disassembler.
    #[cfg(test)]
    pub(super) fn take_for(&mut self, address: u64, code: Vec<u8>, program: Arc<Program>) {
        self.0.insert(address, Known { code, program });
    }
}
