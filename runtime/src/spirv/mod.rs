//! Kernels as SPIR-V for Intel's vector compiler.
//!
//! A register of R x C elements is one vector of R*C elements, row by row; operators are SPIR-V's own, and what SPIR-V
//! has no words for (regions, media blocks, saturation) are imported functions, `llvm.genx.*`, which the compiler knows.
//!
//! ```text
//! types <- module (numbers things once) <- arith, convert, divide, regions, media <- lower (instruction by instruction)
//!                                          hazards, denormals (what is known of values) ^
//! ```
//!
//! [`lower`] is a pure function: it needs no driver and no compiler.

mod arith;
mod convert;
mod denormals;
mod divide;
mod error;
mod hazards;
mod lower;
mod media;
mod module;
mod regions;
mod target;
mod types;

use cm_dsl::ir::Function;

pub use error::LowerError;
pub use target::Target;

/// The SPIR-V module of a kernel: one entry point, under the kernel's name.
///
/// # Errors
/// If the target lacks an operation of the kernel; the error names the line of the kernel and what to do.
pub fn lower(function: &Function, target: Target) -> Result<Vec<u32>, LowerError> {
    lower::Lowering::new(function, target).finish()
}
