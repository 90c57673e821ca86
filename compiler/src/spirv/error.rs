//! Kernels that have no SPIR-V.

use crate::ir::Location;
use crate::limits::Violation;
use crate::verify::VerifyError;
use thiserror::Error;

use super::target::Target;
use super::validate::InvalidModule;

/// The reason why a kernel has no SPIR-V module for a target.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The kernel breaks a rule of the IR. Recorded kernels never do.
    #[error(transparent)]
    NotVerified(#[from] VerifyError),
    /// The target has no such operation.
    #[error("{}:{}:{}: kernel `{kernel}`: {what} on {target}: {remedy}", at.file, at.line, at.column)]
    Unsupported {
        /// The kernel.
        kernel: String,
        /// The target.
        target: Target,
        /// The place of the operation in the source.
        at: Location,
        /// The missing operation.
        what: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The kernel breaks a limit. Recorded kernels never do.
    #[error("{}:{}:{}: kernel `{kernel}`: {violation}", at.file, at.line, at.column)]
    Limit {
        /// The kernel.
        kernel: String,
        /// Where.
        at: Location,
        /// The limit.
        violation: Violation,
    },
    /// The kernel needs more than the register file.
    #[error(
        "{}:{}:{}: kernel `{kernel}` keeps {bytes} bytes in registers here, {target} has {budget}: use \
         smaller blocks or narrower elements, or end the use of an object earlier (`registers()` shows every \
         line)",
        at.file, at.line, at.column
    )]
    Registers {
        /// The kernel.
        kernel: String,
        /// The target.
        target: Target,
        /// The place in the source with the most live bytes.
        at: Location,
        /// Bytes that are live there.
        bytes: usize,
        /// Bytes of the register file.
        budget: usize,
    },
    /// The target has only the standard register file.
    #[error(
        "`{kernel}` cannot have the large register file on {target}, which has only the standard one: launch it on \
         the device itself, without `with_large_register_file`"
    )]
    RegisterFile {
        /// The kernel.
        kernel: String,
        /// The target.
        target: Target,
    },
    /// The kernel is written for a larger register file.
    #[error(
        "`{kernel}` is written for a register file of {needed} bytes, and that of {target} has {found} here: {}",
        if *larger {
            "launch it on `device.with_large_register_file()`, or lower it for `RegisterFile::Large`"
        } else {
            "launch it on the CPU or on a GPU with more or larger registers, or take smaller objects"
        }
    )]
    SmallRegisterFile {
        /// The kernel.
        kernel: String,
        /// The target.
        target: Target,
        /// Bytes that the kernel is written for.
        needed: usize,
        /// Bytes of the register file of the module.
        found: usize,
        /// Whether the large register file of the target is large enough.
        larger: bool,
    },
    /// The intermediate form contradicts itself. Recorded kernels never do.
    #[error(
        "{}:{}:{}: kernel `{kernel}` is not well-formed: {what}; if it was recorded from a `#[kernel]`, \
         please report this",
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
    /// The rewritten kernel breaks a rule of the IR.
    #[error("kernel `{}` was rewritten wrongly by one of {passes}; please report this", source.function)]
    Rewritten {
        /// The names of the passes that changed it.
        passes: String,
        /// The rule.
        source: VerifyError,
    },
    /// The module breaks a rule of SPIR-V.
    #[error("kernel `{kernel}` was lowered wrongly; please report this")]
    Invalid {
        /// The kernel.
        kernel: String,
        /// The rule.
        source: InvalidModule,
    },
}
