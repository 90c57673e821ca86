//! Kernels as SPIR-V for Intel's vector compiler.
//!
//! A register of R x C elements is one vector of R*C elements, row by row. Operators are SPIR-V's own.
//! Regions, media blocks, buffers and saturation are imported functions, `llvm.genx.*`, which Intel's
//! compiler provides.
//!
//! ```text
//! binary (SPIR-V as data and as words) <- types <- intrinsics <- module (numbers everything once)
//!       <- recipe (how operations are lowered), cache_codes (numbers in messages of the load/store cache)
//!       <- fixed_region <- arith, barriers, limited, convert, divide*, fields, functions, rows, regions, long_regions, insertions,
//!          formats, made_of, picked_columns, selected, media, buffer, cached, typed, control (the instructions
//!          of operations)
//!       <- lowering (the state of lowering a kernel) <- fused <- map, group <- reduce, effects <- lower (each
//!          instruction)
//! fixed_point (integers in place of floats); narrow, fixed_point <- widen (adapts the kernel to the
//!       target)
//! sums <- media_rows, long_blocks <- neighbours (combine neighbouring blocks); stacked, packed_dwords
//!       (registers that are processed alike, and channels of texels); expand <- joint_reductions (the last steps of
//!       several reductions); neighbours, known_zeros <- gathered_vectors (neighbouring elements of scattered reads)
//! defs, expand, media_rows <- padded_rows (blocks with rows of powers of two)
//! defs <- unaligned_floats, byte_sums, byte_products, high_bytes (bytes of texels and of dwords), scalars <- long_blocks
//! numbers <- fold (folds constants); defs, expand <- limited_scalars (limits of comparisons)
//! sums <- payloads (what messages of 2-D blocks are sent) <- lowering
//! lowering <- block_2d (2-D blocks of buffers), parts (insertions and selections by number), separated (copies between the steps of kernels of odd shapes)
//! expand <- ends (slices that end inside their buffer), interlaced (fields of surfaces, row by row), linear_surfaces
//!       (surfaces in buffers), printf (printing as accesses to a buffer), dpas, atomic (operations that the target
//!       lacks), large_reductions (reductions in strips), dispatch (how threads get their coordinates), short_longs,
//!       covered (insertions that others replace), region_chains (64-bit integers) <- transposed_columns
//! message_order (fences between messages for 2-D blocks and others) <- lowering
//! numbers <- cases, overwritten, swapped_bytes; hazard, replaced <- hazards; denormals, compare_uses, counts, moved_bytes,
//!       padded_bytes, own_masks, zero_signs, cached_params, added_sizes, far_masks, large_objects, loop_flags, spills, boolean,
//!       odd_shapes, sharing (facts about values)
//! validate (checks modules)
//! ```
//!
//! [`lower()`] is a pure function: it needs no driver and no compiler.

mod access;
mod added_sizes;
#[cfg(test)]
mod alike;
mod arith;
mod atomic;
mod barriers;
mod binary;
mod block_2d;
mod boolean;
mod buffer;
mod byte_products;
mod byte_sums;
mod cache_codes;
mod cached;
mod cached_params;
mod cases;
mod compare_uses;
mod control;
mod convert;
mod counts;
mod covered;
mod defs;
mod denormals;
mod dispatch;
mod divide;
mod divide_wide;
mod dpas;
mod effects;
mod ends;
mod error;
mod even_steps;
mod expand;
mod far_masks;
mod fields;
mod fixed_point;
mod fixed_region;
mod fold;
mod formats;
mod functions;
mod fused;
mod gathered_vectors;
mod group;
mod hazard;
mod hazards;
mod high_bytes;
mod insertions;
mod interlaced;
mod intrinsics;
mod joint_reductions;
mod known_zeros;
mod large_objects;
mod large_reductions;
mod limited;
mod limited_scalars;
mod linear_surfaces;
mod long_blocks;
mod long_regions;
mod loop_flags;
mod lower;
mod lowering;
mod made_of;
mod map;
mod masked_elements;
mod media;
mod media_rows;
mod message_order;
mod module;
mod moved_bytes;
mod narrow;
mod neighbours;
mod numbers;
mod odd_shapes;
mod overwritten;
mod own_masks;
mod packed_dwords;
mod padded_bytes;
mod padded_rows;
mod parts;
mod payloads;
mod picked_columns;
mod printf;
mod recipe;
mod reduce;
mod region_chains;
mod regions;
mod register_file;
mod replaced;
mod rows;
mod scalars;
mod selected;
mod separated;
mod shared;
mod sharing;
mod short_longs;
mod spills;
mod stacked;
mod sums;
mod swapped_bytes;
mod target;
mod thread;
mod transposed;
mod transposed_columns;
mod typed;
mod types;
mod unaligned_floats;
mod validate;
mod vectors;
mod widen;
mod zero_signs;

use crate::ir::Function;
use crate::pressure::RegisterReport;
use crate::simplify::{forwarded, shortened};
use media_rows::Blocks;

#[doc(hidden)]
pub use barriers::{BARRIERS_OF_PROBE, barrier_probe};
pub use dispatch::{Dispatch, LINE_DWORDS, line_argument};
pub use error::LowerError;
pub use linear_surfaces::{LINEAR_PITCH, LinearShape};
pub use printf::{PRINTF_BYTES, PrintfLine, PrintfRoom, printed_lines, printf_filled_bytes};
pub use register_file::RegisterFile;
pub use target::{Instruction, Target};
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
/// error names the line and the remedy.
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

/// The options that distinguish the modules of a kernel.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// The size of the register file.
    pub registers: RegisterFile,
    /// How threads are launched.
    pub dispatch: Dispatch,
    /// Whether surfaces are buffers instead of images.
    pub linear: bool,
    /// Whether buffers end where arguments say, because one of them is a slice that ends inside its buffer. After the
    /// parameters of the kernel, the module then has an `i32` for each buffer: the number of its bytes.
    pub ends: bool,
    /// Whether the module has the source location of each instruction.
    pub debug_info: bool,
}

/// As [`lower_for`], with all options of a launch.
///
/// # Errors
/// As [`lower_for`].
#[doc(hidden)]
pub fn lower_with(function: &Function, target: Target, options: Options) -> Result<Vec<u32>, LowerError> {
    let Options { registers, dispatch, linear, ends, debug_info } = options;
    let ended = if ends { ends::expand(function) } else { None };
    let function = ended.as_ref().unwrap_or(function);
    let budget = registers.registers() * target.register_bytes();
    let blocks = if linear { Blocks::InBuffers } else { Blocks::Media };
    let takes_blocks = !linear || target.has_2d_blocks();
    let padded = if takes_blocks { padded_rows::padded(function, blocks, budget) } else { None };
    let function = padded.as_ref().unwrap_or(function);
    let in_rows = if linear && target.has_2d_blocks() {
        media_rows::joined(function, Blocks::InBuffers, budget)
    } else {
        None
    };
    let function = in_rows.as_ref().unwrap_or(function);
    // The argument of a line follows the arguments of surfaces.
    let surfaces =
        if linear { linear_surfaces::expand(function, target) } else { interlaced::expand(function) };
    let function = surfaces.as_ref().unwrap_or(function);
    let dispatched = dispatch::expand(function, dispatch);
    lowered(dispatched.as_ref().unwrap_or(function), target, target, registers, debug_info)
}

/// The module for `target` in the form that suits the registers of `form`. Tests execute all forms on Gen9.
///
/// # Errors
/// As [`lower()`].
#[doc(hidden)]
pub fn lower_in_form(function: &Function, form: Target, target: Target) -> Result<Vec<u32>, LowerError> {
    let budget = RegisterFile::Standard.registers() * form.register_bytes();
    let padded = padded_rows::padded(function, Blocks::Media, budget);
    let function = padded.as_ref().unwrap_or(function);
    let progressive = interlaced::expand(function);
    lowered(progressive.as_ref().unwrap_or(function), form, target, RegisterFile::Standard, false)
}

fn lowered(
    function: &Function,
    form: Target,
    target: Target,
    registers: RegisterFile,
    debug_info: bool,
) -> Result<Vec<u32>, LowerError> {
    if registers == RegisterFile::Large && !target.has_large_register_file() {
        return Err(LowerError::RegisterFile { kernel: function.name.clone(), target });
    }
    // Of the form: tests execute the form for larger registers on Gen9.
    let file = |registers: RegisterFile| registers.registers() * form.register_bytes();
    let budget = file(registers);
    if function.register_file > budget {
        return Err(LowerError::SmallRegisterFile {
            kernel: function.name.clone(),
            target,
            needed: function.register_file,
            found: budget,
            larger: target.has_large_register_file() && function.register_file <= file(RegisterFile::Large),
        });
    }
    let peak = RegisterReport::new(function).peak();
    if peak.bytes > budget {
        let (kernel, at, bytes) = (function.name.clone(), peak.location, peak.bytes);
        return Err(LowerError::Registers { kernel, target, at, bytes, budget });
    }
    let printing = printf::expand(function);
    let function = printing.as_ref().unwrap_or(function);
    let updating = atomic::expand(function, target);
    let function = updating.as_ref().unwrap_or(function);
    let multiplying = dpas::expand(function, target);
    let function = multiplying.as_ref().unwrap_or(function);
    let reducing = large_reductions::expand(function);
    let function = reducing.as_ref().unwrap_or(function);
    let blocks = block_2d::expand(function, target);
    let function = blocks.as_ref().unwrap_or(function);
    let folded = fold::fold(function);
    let function = folded.as_ref().unwrap_or(function);
    let forwarded = forwarded(function);
    let forwarded = short_longs::shortened(&forwarded).unwrap_or(forwarded);
    let forwarded = covered::skipped(&forwarded).unwrap_or(forwarded);
    let forwarded = region_chains::joined(&forwarded).unwrap_or(forwarded);
    let forwarded = transposed_columns::joined(&forwarded).unwrap_or(forwarded);
    let forwarded = gathered_vectors::joined(&forwarded, target, budget).unwrap_or(forwarded);
    let forwarded = limited_scalars::limited(&forwarded, form).unwrap_or(forwarded);
    let short = shortened(&forwarded, form.orders_words()).unwrap_or(forwarded);
    let short = media_rows::joined(&short, Blocks::Media, budget).unwrap_or(short);
    let short = stacked::stacked(&short, form, budget).unwrap_or(short);
    let short = packed_dwords::packed(&short, form).unwrap_or(short);
    let short = byte_sums::expand(&short, target).unwrap_or(short);
    let short = byte_products::expand(&short, target).unwrap_or(short);
    let short = joint_reductions::joined(&short, form, budget).unwrap_or(short);
    let short = high_bytes::taken(&short).unwrap_or(short);
    let wide = widen::widen(&short, form).or_else(|| fixed_point::expand(&short)).unwrap_or(short);
    let joined = neighbours::joined(&wide, target, budget);
    let function = joined.as_ref().unwrap_or(&wide);
    let module = lower::module(function, [form, target], budget, debug_info)?;
    // This checks the crate, not its input, so release builds skip it.
    #[cfg(debug_assertions)]
    validate(&module).map_err(|source| LowerError::Invalid { kernel: function.name.clone(), source })?;
    Ok(module)
}
