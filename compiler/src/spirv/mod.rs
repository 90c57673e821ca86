//! Kernels as SPIR-V for Intel's vector compiler.
//!
//! A register of R x C elements is one vector of R*C elements, row by row. Operators are SPIR-V's own.
//! Regions, media blocks, buffers and saturation are imported functions, `llvm.genx.*`, which Intel's
//! compiler provides.
//!
//! ```text
//! binary (SPIR-V as data and as words) <- types <- intrinsics <- module (numbers things once)
//!       <- recipe (what operations are made of)
//!       <- arith, limited, convert, divide*, fields, functions, rows, regions, media, buffer, control (what they are spelt as)
//!       <- lowering (a kernel on its way) <- fused <- map, group <- reduce <- lower (each instruction)
//! ranges <- shortened; narrow <- widen (a kernel as the target likes it)
//! numbers <- fold; forwarded (a kernel without what is known of it, and without variables that are not needed)
//! expand <- printf (what is printed, as accesses to a buffer), dpas (products that the target lacks)
//! numbers <- cases, overwritten; compiler_workarounds, denormals, ranges, compare_uses, moved_bytes, boolean
//!       (what is known of values)
//! validate (what modules may say)
//! ```
//!
//! [`lower()`] is a pure function: it needs no driver and no compiler.

mod arith;
mod binary;
mod boolean;
mod buffer;
mod cases;
mod compare_uses;
mod compiler_workarounds;
mod control;
mod convert;
mod denormals;
mod divide;
mod divide_wide;
mod dpas;
mod error;
mod even_steps;
mod expand;
mod fields;
mod fold;
mod forwarded;
mod functions;
mod fused;
mod group;
mod intrinsics;
mod limited;
mod lower;
mod lowering;
mod map;
mod media;
mod module;
mod moved_bytes;
mod narrow;
mod numbers;
mod overwritten;
mod printf;
mod ranges;
mod recipe;
mod reduce;
mod regions;
mod register_file;
mod rows;
mod shared;
mod shortened;
mod target;
mod thread;
mod types;
mod validate;
mod widen;

use crate::ir::Function;
use crate::pressure::RegisterReport;

pub use error::LowerError;
pub use printf::{PRINTF_BYTES, PrintfLine, PrintfRoom, printed_lines};
pub use register_file::RegisterFile;
pub use target::{Instruction, Target};
pub use validate::{InvalidModule, validate};

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
/// error names the line and the remedy.
///
/// The module of a kernel that prints has one more parameter, the last: a buffer of [`PRINTF_BYTES`] bytes.
pub fn lower(function: &Function, target: Target) -> Result<Vec<u32>, LowerError> {
    lower_for(function, target, RegisterFile::Standard)
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
    lowered(function, target, target, registers)
}

/// The module for a target in the form that is best for the registers of another. Tests execute all forms on Gen9.
///
/// # Errors
/// As [`lower()`].
#[doc(hidden)]
pub fn lower_in_form(function: &Function, form: Target, target: Target) -> Result<Vec<u32>, LowerError> {
    lowered(function, form, target, RegisterFile::Standard)
}

fn lowered(
    function: &Function,
    form: Target,
    target: Target,
    registers: RegisterFile,
) -> Result<Vec<u32>, LowerError> {
    if registers == RegisterFile::Large && !target.has_large_register_file() {
        return Err(LowerError::RegisterFile { kernel: function.name.clone(), target });
    }
    let peak = RegisterReport::new(function).peak();
    let budget = registers.registers() * form.register_bytes();
    if peak.bytes > budget {
        let (kernel, at, bytes) = (function.name.clone(), peak.location, peak.bytes);
        return Err(LowerError::Registers { kernel, target, at, bytes, budget });
    }
    let printing = printf::expand(function);
    let function = printing.as_ref().unwrap_or(function);
    let multiplying = dpas::expand(function, target);
    let function = multiplying.as_ref().unwrap_or(function);
    let folded = fold::fold(function);
    let function = folded.as_ref().unwrap_or(function);
    let forwarded = forwarded::forwarded(function);
    let short = shortened::shortened(&forwarded, form).unwrap_or(forwarded);
    let wide = widen::widen(&short, form).unwrap_or(short);
    let module = lower::module(&wide, form, target)?;
    // A check of this crate, not of its input: release builds do without.
    #[cfg(debug_assertions)]
    validate(&module).map_err(|source| LowerError::Invalid { kernel: function.name.clone(), source })?;
    Ok(module)
}
