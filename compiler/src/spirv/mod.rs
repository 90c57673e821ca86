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
//!       <- lowering (a kernel on its way) <- map, group <- reduce <- lower (each instruction)
//! narrow <- widen (a kernel as the target likes it)
//! numbers <- fold (a kernel without what is known of it)
//! printf (what is printed, as accesses to a buffer)
//! numbers <- cases, overwritten; compiler_workarounds, denormals, ranges, compare_uses, moved_bytes
//!       (what is known of values)
//! validate (what modules may say)
//! ```
//!
//! [`lower()`] is a pure function: it needs no driver and no compiler.

mod arith;
mod binary;
mod buffer;
mod cases;
mod compare_uses;
mod compiler_workarounds;
mod control;
mod convert;
mod denormals;
mod divide;
mod divide_wide;
mod error;
mod even_steps;
mod fields;
mod fold;
mod functions;
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
mod rows;
mod target;
mod types;
mod validate;
mod widen;

use crate::ir::Function;
use crate::limits::REGISTERS;
use crate::pressure::RegisterReport;

pub use error::LowerError;
pub use printf::{PRINTF_BYTES, PrintfLine, PrintfRoom, printed_lines};
pub use target::Target;
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
    let peak = RegisterReport::new(function).peak();
    let budget = REGISTERS * target.register_bytes();
    if peak.bytes > budget {
        let (kernel, at, bytes) = (function.name.clone(), peak.location, peak.bytes);
        return Err(LowerError::Registers { kernel, target, at, bytes, budget });
    }
    let expanded = printf::expand(function);
    let function = expanded.as_ref().unwrap_or(function);
    let folded = fold::fold(function);
    let function = folded.as_ref().unwrap_or(function);
    let rewritten = widen::widen(function, target);
    let module = lower::module(rewritten.as_ref().unwrap_or(function), target)?;
    // A check of this crate, not of its input: release builds do without.
    #[cfg(debug_assertions)]
    validate(&module).map_err(|source| LowerError::Invalid { kernel: function.name.clone(), source })?;
    Ok(module)
}
