//! Errors of decoding machine code.

/// Why machine code cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The disassembler is not installed.
    #[error("cannot load Intel's disassembler {library}: {why}; on Debian: apt-get install libigc1")]
    Library {
        /// The libraries that were tried.
        library: String,
        /// The message of the loader.
        why: String,
    },
    /// The disassembler rejects the code.
    #[error("Intel's disassembler fails with status {status} on {bytes} bytes of machine code")]
    Disassembler {
        /// The status that it returns.
        status: i32,
        /// The length of the code.
        bytes: usize,
    },
    /// The disassembler does not support the generation.
    #[error(
        "Intel's disassembler does not know {generation}; set CM_SIMULATOR_IGA to the libiga64 of a newer compiler"
    )]
    Generation {
        /// Its name.
        generation: &'static str,
    },
    /// An instruction that this crate does not support.
    #[error("at byte {at} of the kernel (`{instruction}`, line {line}): {why}")]
    Instruction {
        /// Its byte offset in the kernel.
        at: u32,
        /// Its line in the disassembly.
        line: usize,
        /// Its text.
        instruction: String,
        /// The reason why it is invalid.
        why: String,
    },
    /// There is nothing to execute.
    #[error("there are no instructions")]
    Empty,
}
