//! The sizes of the register file.

use crate::limits::REGISTERS;

/// The number of registers of a hardware thread. CM: the compiler option `-Qxcm_doubleGRF`.
///
/// ```
/// use cm::RegisterFile;
/// assert_eq!(RegisterFile::Standard.registers(), 128);
/// assert_eq!(RegisterFile::Large.registers(), 256);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum RegisterFile {
    /// 128 registers.
    #[default]
    Standard,
    /// 256 registers, on targets with
    /// [`Target::has_large_register_file`](super::Target::has_large_register_file). Half as many threads run
    /// on an execution unit at a time.
    Large,
}

impl RegisterFile {
    /// Every size.
    pub const ALL: &[Self] = &[Self::Standard, Self::Large];

    /// The number of registers.
    #[must_use]
    pub const fn registers(self) -> usize {
        match self {
            Self::Standard => REGISTERS,
            Self::Large => 2 * REGISTERS,
        }
    }

    /// The options with which Intel's compiler and Level Zero must build a module: for vector code, with
    /// products and sums rounded separately, and with a register file of this size.
    ///
    /// Without the second option the compiler merges `a * b + c` into one instruction, and the last bits differ
    /// from the CPU's. It ignores the execution mode `ContractionOff` of the module.
    ///
    /// `-doubleGRF` gives vector code 256 registers. Level Zero's `-ze-opt-large-register-file` does not: the driver turns it
    /// into an internal option, which the compiler for vector code ignores.
    ///
    /// ```
    /// // ocloc compile -spirv_input -file module.spv -device skl -options "-vc-codegen -ffp-contract=off"
    /// assert_eq!(cm::RegisterFile::Standard.build_options(), "-vc-codegen -ffp-contract=off");
    /// ```
    #[must_use]
    pub const fn build_options(self) -> &'static str {
        match self {
            Self::Standard => "-vc-codegen -ffp-contract=off",
            Self::Large => "-vc-codegen -ffp-contract=off -doubleGRF",
        }
    }
}
