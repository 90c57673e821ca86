//! Kernels that have no SPIR-V.

use crate::ir::Location;
use thiserror::Error;

use super::target::Target;
use super::validate::InvalidModule;

/// Why a kernel could not be lowered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The target has no such operation.
    #[error("{}:{}:{}: kernel `{kernel}`: {what} on {target}: {remedy}", at.file, at.line, at.column)]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// The target.
        target: Target,
        /// Where the operation stands.
        at: Location,
        /// What is not there.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A media block that no message carries.
    #[error(
        "{}:{}:{}: kernel `{kernel}`: a media block of {rows} rows of {width} bytes: a row takes 1 to 64 bytes, and rows \
         times the row pitch (the next power of two, at least 4) at most 256; read or write it in parts",
        at.file, at.line, at.column
    )]
    MediaBlock {
        /// The kernel.
        kernel: String,
        /// Where the access stands.
        at: Location,
        /// Rows.
        rows: usize,
        /// Bytes of a row.
        width: usize,
    },
    /// More is live than the register file holds.
    #[error(
        "{}:{}:{}: kernel `{kernel}` keeps {bytes} bytes in registers here, {target} has {budget}: use smaller blocks or \
         narrower elements, or end the use of an object earlier (`registers()` shows every line)",
        at.file, at.line, at.column
    )]
    Registers {
        /// The kernel.
        kernel: String,
        /// The target.
        target: Target,
        /// Where most is live.
        at: Location,
        /// Bytes that are live there.
        bytes: usize,
        /// Bytes of the register file.
        budget: usize,
    },
    /// The intermediate form contradicts itself. Recorded kernels never do.
    #[error(
        "{}:{}:{}: kernel `{kernel}` is not well-formed: {what}; if it was recorded from a `#[kernel]`, please report this",
        at.file, at.line, at.column
    )]
    Malformed {
        /// The kernel.
        kernel: String,
        /// Where.
        at: Location,
        /// What is wrong.
        what: String,
    },
    /// What was made of the kernel breaks a rule of SPIR-V.
    #[error("kernel `{kernel}` was lowered wrongly; please report this")]
    Invalid {
        /// The kernel.
        kernel: String,
        /// The rule.
        source: InvalidModule,
    },
}
