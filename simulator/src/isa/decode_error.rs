//! Why machine code is no program.

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
    /// The disassembler does not take the code.
    #[error("Intel's disassembler fails with status {status} on {bytes} bytes of machine code")]
    Disassembler {
        /// What it returns.
        status: i32,
        /// How much code it was given.
        bytes: usize,
    },
    /// The disassembler does not know the generation.
    #[error(
        "Intel's disassembler does not know {generation}; set CM_SIMULATOR_IGA to the libiga64 of a newer compiler"
    )]
    Generation {
        /// Its name.
        generation: &'static str,
    },
    /// An instruction that this crate does not know.
    #[error("at byte {at} of the kernel (`{instruction}`, line {line}): {why}")]
    Instruction {
        /// Where it is in the kernel, in bytes.
        at: u32,
        /// Its line in the disassembler's text.
        line: usize,
        /// Its text.
        instruction: String,
        /// What is wrong with it.
        why: String,
    },
    /// There is nothing to execute.
    #[error("there are no instructions")]
    Empty,
}
