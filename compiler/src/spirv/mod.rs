//! Kernels as SPIR-V for Intel's vector compiler.
//!
//! A register of R x C elements is one vector of R*C elements, row by row. Operators are SPIR-V's own.
//! Regions, media blocks, buffers and saturation are imported functions, `llvm.genx.*`, which Intel's
//! compiler provides.
//!
//! ```text
//! binary (SPIR-V as data and as words) <- types <- intrinsics <- module (numbers everything once) <- fixed_region; target, transposition,
//!       region_instructions (how many an operation on a region takes)
//!       <- facts (about the values of a kernel)
//!       <- emit (the instructions of operations)
//!       <- passes (rewritings of the kernel, in the order of a table)
//!       <- lower (translates the kernel, instruction by instruction)
//! validate (checks modules)
//! ```
//!
//! [`lower()`] is a pure function: it needs no driver and no compiler.

#[cfg(test)]
mod alike;
mod binary;
mod emit;
mod error;
mod facts;
mod fixed_region;
mod intrinsics;
mod lower;
mod module;
mod passes;
mod region_instructions;
mod register_file;
mod target;
mod transposition;
mod types;
mod validate;

use crate::ir::Function;
use crate::pressure::RegisterReport;
use crate::verify::verify;
use passes::{Setting, block_2d, linear_surfaces};

pub use error::LowerError;
#[doc(hidden)]
pub use lower::{BARRIERS_OF_PROBE, barrier_probe};
#[doc(hidden)]
pub use passes::Options;
pub use passes::dispatch::{Dispatch, LINE_DWORDS, line_argument};
pub use passes::linear_surfaces::{LINEAR_PITCH, LinearShape};
pub use passes::printf::{PRINTF_BYTES, PrintfLine, PrintfRoom, printed_lines, printf_filled_bytes};
pub use register_file::RegisterFile;
pub use target::{Instruction, Target, UnknownTarget};
pub use validate::{InvalidModule, validate};

/// The option that makes Intel's compiler and Level Zero keep the debug information of a module in the
/// machine code.
pub const DEBUG_OPTION: &str = "-g";

/// Returns the SPIR-V module of a kernel, with one entry point under the kernel's name.
/// `k::spirv_for(target)` calls it.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn empty() {}
///
/// let module = cm::spirv::lower(&empty::ir()?, Target::Gen9)?;
/// assert_eq!(module[0], 0x0723_0203); // the magic number of SPIR-V
/// # Ok::<(), cm::Error>(())
/// ```
///
/// # Errors
/// If the target lacks an operation of the kernel, or if the kernel needs more than the register file. The
/// error names the line and the remedy. A function that [`verify`](crate::verify::verify()) refuses is an error as well.
///
/// The parameters of the module are those of [`Function::passed`], followed by an `i32` for each view that is
/// a field: the number of its last row. If the kernel prints, a buffer of [`PRINTF_BYTES`] bytes follows.
/// Pointers to the parameters listed by [`pointers`] come last.
///
/// In modules for [`Target::Xe3p`], surfaces and buffers that no instruction uses are pointers: Intel's compiler (IGC 2.40)
/// crashes on other parameters that are not used. Bind a buffer there.
pub fn lower(function: &Function, target: Target) -> Result<Vec<u32>, LowerError> {
    lower_for(function, target, RegisterFile::Standard)
}

/// The parameters of a kernel that its module for this target takes twice: as a buffer, and as a pointer to
/// its first byte, because messages for 2-D blocks take addresses. The pointers must be multiples of 64.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn first_rows(x: &Buffer<f32>, y: &mut Buffer<f32>) {
///     y.store_2d(64, 8, 64, 0, 0, &x.load_2d::<8, 16>(64, 8, 64, 0, 0));
/// }
///
/// let kernel = first_rows::ir()?;
/// assert_eq!(cm::spirv::pointers(&kernel, Target::XeHpc), [0, 1]);
/// assert!(cm::spirv::pointers(&kernel, Target::Gen9).is_empty());
/// # use cm::Target;
/// # Ok::<(), cm::Error>(())
/// ```
#[must_use]
pub fn pointers(function: &Function, target: Target) -> Vec<usize> {
    if target.has_2d_blocks() { block_2d::addressed(function).into_iter().collect() } else { vec![] }
}

/// As [`pointers`], for modules with surfaces in buffers: also the surfaces that the kernel accesses by media
/// blocks. Their pointers are to their first rows.
///
/// ```
/// use cm::prelude::*;
///
/// #[kernel]
/// fn copy(input: &Surface2D, output: &mut Surface2D) {
///     output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
/// }
///
/// let kernel = copy::ir()?;
/// assert_eq!(cm::spirv::pointers_with_linear_surfaces(&kernel, Target::XeHpc), [0, 1]);
/// assert!(cm::spirv::pointers_with_linear_surfaces(&kernel, Target::Gen9).is_empty());
/// # use cm::Target;
/// # Ok::<(), cm::Error>(())
/// ```
#[must_use]
pub fn pointers_with_linear_surfaces(function: &Function, target: Target) -> Vec<usize> {
    if !target.has_2d_blocks() {
        return vec![];
    }
    let (buffers, surfaces) = (block_2d::addressed(function), linear_surfaces::addressed(function));
    buffers.union(&surfaces).copied().collect()
}

/// As [`lower`], for a register file of another size: the module has to be compiled with its
/// [`build_options`](RegisterFile::build_options).
///
/// ```
/// use cm::RegisterFile;
/// use cm::prelude::*;
///
/// #[kernel]
/// fn empty() {}
///
/// let kernel = empty::ir()?;
/// assert!(cm::spirv::lower_for(&kernel, Target::XeHpg, RegisterFile::Large).is_ok());
/// assert!(cm::spirv::lower_for(&kernel, Target::Gen9, RegisterFile::Large).is_err());
/// # Ok::<(), cm::Error>(())
/// ```
///
/// # Errors
/// As [`lower`]; and if the target has no register file of this size.
pub fn lower_for(
    function: &Function,
    target: Target,
    registers: RegisterFile,
) -> Result<Vec<u32>, LowerError> {
    lower_with(function, target, Options { registers, ..Options::default() })
}

/// As [`lower_for`], with the file and line of every instruction, for debuggers, profilers and the simulated GPU.
///
/// Intel's compiler keeps them in the machine code if it is given [`DEBUG_OPTION`]. It then orders
/// instructions differently.
///
/// ```
/// use cm::RegisterFile;
/// use cm::prelude::*;
///
/// #[kernel]
/// fn empty() {}
///
/// let kernel = empty::ir()?;
/// let module = cm::spirv::lower_with_debug_info(&kernel, Target::Gen9, RegisterFile::Standard)?;
/// assert!(module.len() > empty::spirv_for(Target::Gen9)?.len());
/// # Ok::<(), cm::Error>(())
/// ```
///
/// # Errors
/// As [`lower_for`].
pub fn lower_with_debug_info(
    function: &Function,
    target: Target,
    registers: RegisterFile,
) -> Result<Vec<u32>, LowerError> {
    lower_with(function, target, Options { registers, debug_info: true, ..Options::default() })
}

/// As [`lower_for`], with surfaces in buffers instead of images, for devices whose surfaces are in buffers.
///
/// Each parameter that is a surface or a view is a buffer of bytes. The module has one more parameter for
/// each of them: the bytes of its [`LinearShape`]. They come in the same order, after the parameters of the
/// kernel and before the buffer for `printf!`. Pointers to the parameters listed by
/// [`pointers_with_linear_surfaces`] come last. A buffer begins with the first row of its surface, and has rows of
/// [`LINEAR_PITCH`] bytes or a multiple. Kernels may change the bytes between the rows.
///
/// ```
/// use cm::RegisterFile;
/// use cm::prelude::*;
///
/// #[kernel]
/// fn copy(input: &Surface2D, output: &mut Surface2D) {
///     output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
/// }
///
/// let kernel = copy::ir()?;
/// let module = cm::spirv::lower_with_linear_surfaces(&kernel, Target::XeHpc, RegisterFile::Standard)?;
/// assert_ne!(module, copy::spirv_for(Target::XeHpc)?);
/// # Ok::<(), cm::Error>(())
/// ```
///
/// # Errors
/// As [`lower_for`].
pub fn lower_with_linear_surfaces(
    function: &Function,
    target: Target,
    registers: RegisterFile,
) -> Result<Vec<u32>, LowerError> {
    lower_with(function, target, Options { registers, linear: true, ..Options::default() })
}

/// As [`lower_for`], for a thread space without dependencies between its threads, or for lines of its
/// threads: see [`Dispatch`].
///
/// ```
/// use cm::prelude::*;
/// use cm::spirv::{Dispatch, lower_dispatched};
///
/// #[kernel]
/// fn empty() {}
///
/// let module = lower_dispatched(&empty::ir()?, Target::Gen9, cm::RegisterFile::Standard, Dispatch::Line)?;
/// assert_ne!(module, empty::spirv_for(Target::Gen9)?);
/// # Ok::<(), cm::Error>(())
/// ```
///
/// # Errors
/// As [`lower_for`].
pub fn lower_dispatched(
    function: &Function,
    target: Target,
    registers: RegisterFile,
    dispatch: Dispatch,
) -> Result<Vec<u32>, LowerError> {
    lower_with(function, target, Options { registers, dispatch, ..Options::default() })
}

/// As [`lower_for`], with all options of a launch.
///
/// # Errors
/// As [`lower_for`].
#[doc(hidden)]
pub fn lower_with(function: &Function, target: Target, options: Options) -> Result<Vec<u32>, LowerError> {
    lowered(function, &Setting { options, form: target, target })
}

/// The module for `target` in the form that suits the registers of `form`. Tests execute all forms on Gen9.
///
/// # Errors
/// As [`lower()`].
#[doc(hidden)]
pub fn lower_in_form(function: &Function, form: Target, target: Target) -> Result<Vec<u32>, LowerError> {
    lowered(function, &Setting { options: Options::default(), form, target })
}

fn lowered(function: &Function, setting: &Setting) -> Result<Vec<u32>, LowerError> {
    verify(function)?;
    let launched = passes::launched(function, setting)?;
    check_registers(&launched, setting)?;
    let adapted = passes::adapted(&launched, setting)?;
    let module = lower::module(&adapted, setting)?;
    // This checks the crate, not its input, so release builds skip it.
    #[cfg(debug_assertions)]
    validate(&module).map_err(|source| LowerError::Invalid { kernel: function.name.clone(), source })?;
    Ok(module)
}

/// Whether the kernel fits in the register file.
fn check_registers(function: &Function, setting: &Setting) -> Result<(), LowerError> {
    let (target, budget) = (setting.target, setting.budget());
    if setting.options.registers == RegisterFile::Large && !target.has_large_register_file() {
        return Err(LowerError::RegisterFile { kernel: function.name.clone(), target });
    }
    if function.register_file > budget {
        let large = RegisterFile::Large.registers() * setting.form.register_bytes();
        return Err(LowerError::SmallRegisterFile {
            kernel: function.name.clone(),
            target,
            needed: function.register_file,
            found: budget,
            larger: target.has_large_register_file() && function.register_file <= large,
        });
    }
    let peak = RegisterReport::of_verified(function).peak();
    if peak.bytes > budget {
        let (kernel, at, bytes) = (function.name.clone(), peak.location, peak.bytes);
        return Err(LowerError::Registers { kernel, target, at, bytes, budget });
    }
    Ok(())
}
