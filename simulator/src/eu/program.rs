//! A kernel's instructions.

use std::sync::Arc;

/// A kernel in the form that threads execute.
#[derive(Debug)]
pub struct Program {}

/// Why machine code is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The disassembler is not there.
    #[error("cannot load Intel's disassembler {library}: {why}; on Debian: apt-get install libigc1")]
    Library {
        /// What was tried.
        library: String,
        /// What the loader says.
        why: String,
    },
}

impl Program {
    /// Decodes machine code from its first instruction to the end of the thread; what follows is not looked at.
    ///
    /// # Errors
    ///
    /// If there is no disassembler, or the code is none that it or this crate knows.
    pub fn decode(_code: &[u8]) -> Result<Arc<Self>, DecodeError> {
        Ok(Arc::new(Self {}))
    }
}
