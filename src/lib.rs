//! C for Metal in Rust: media kernels in the style of Intel's CM that run on Intel GPUs and on all cores of any
//! CPU. `cargo check` checks them against the limits of the hardware.
//!
//! A kernel thread keeps whole matrices and vectors in registers. It reads a block of a surface, computes
//! with regions of it, and writes a block:
//!
//! ```
//! use cm::prelude::*;
//!
//! /// Adds a number to every texel of a block; results above 255 become 255.
//! #[function]
//! fn brighten(m: Matrix<u8, 4, 16>, by: i32) -> Matrix<u8, 4, 16> {
//!     (m + by).saturate()
//! }
//!
//! #[kernel]
//! fn brighten_all(input: &Surface2D, output: &mut Surface2D, by: i32) {
//!     let (x, y) = (thread_origin_x() * 16, thread_origin_y() * 4);
//!     output.write(x, y, &brighten(input.read::<u8, 4, 16>(x, y), by));
//! }
//!
//! // A helper is plain Rust too, so you can test it without a device.
//! assert_eq!(brighten(Matrix::<u8, 4, 16>::splat(250), 10).to_array(), [[255; 16]; 4]);
//!
//! let device = Device::best()?;
//! let input = Surface2D::from_bytes(&device, Format::R8, 16, 4, &[250; 64])?;
//! let mut output = Surface2D::new(&device, Format::R8, 16, 4)?;
//! brighten_all::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output, 10)?;
//! assert_eq!(output.to_vec()?, [255; 64]);
//! # Ok::<(), cm::Error>(())
//! ```
//!
//! **Status.** Kernels are tested on the CPU and, under Intel's driver, on simulated GPUs. Nothing has run on GPU hardware
//! yet.
//!
//! # Features
//!
//! | Feature | What it adds |
//! |---|---|
//! | `level-zero` (default) | Intel GPUs, on Linux and Windows |
//! | `image`, `ndarray` | surfaces from and to images of image 0.25, arrays of ndarray 0.17 |
//! | `generic-array` | vectors from and to `GenericArray` of generic-array 1 |
//!
//! # Where to find things
//!
//! | To | See |
//! |---|---|
//! | import what kernels need | [`prelude`] |
//! | declare kernels and helpers | [`#[kernel]`](macro@kernel), [`#[function]`](macro@function) |
//! | compute | [`Matrix`], [`Vector`], [`Scalar`], [`math`] |
//! | read and write images in kernels | [`surface::Surface`], [`surface_3d::Surface3d`] |
//! | sample images in kernels | [`sampler`], [`surface::Surface::sample`] |
//! | read and write linear memory in kernels | [`buffer::LinearBuffer`], [`atomic`] |
//! | choose a device, allocate, launch | [`Device`], [`Surface2D`], [`Surface3D`], [`Buffer`], [`ThreadSpace`], [`Scope`] |
//! | choose a kernel by the GPU | [`Device::target`], [`Target`] |
//! | handle errors | [`Error`], [`guide::errors`] |
//! | write a first kernel | [`guide::first_kernel`] |
//! | find platforms, drivers and environment variables | [`guide::setup`] |
//! | load images, process video, test, debug and time kernels | [`guide`] |
//! | find the Rust for a line of CM | [`guide::cm_to_rust`] |
//! | look up a term | [`guide::glossary`] |
//! | see what a kernel becomes | [`guide::stages`], [`ir`], [`RegisterReport`], [`spirv`] |
//! | port OpenCL kernels | [`subgroups`], [`media_block_io`], [`guide::media_block_io`] |
//!
//! [`Matrix`]: registers::Matrix
//! [`Vector`]: registers::Vector
//! [`Scalar`]: registers::Scalar

#[doc(hidden)]
pub use cm_compiler as compiler;
pub use cm_compiler::ir::Plane;
#[doc(inline)]
pub use cm_compiler::ir::{DependencyError, DependencyPattern};
pub use cm_compiler::pressure::RegisterReport;
pub use cm_compiler::spirv::UnknownTarget;
pub use cm_compiler::spirv::{self, RegisterFile, Target};
#[doc(inline)]
pub use cm_compiler::{interpret, ir, text, verify};
#[doc(hidden)]
pub use cm_dsl as dsl;
#[doc(no_inline)]
pub use cm_dsl::backend::Backend;
#[doc(inline)]
pub use cm_dsl::builtins::{clock, rdtsc};
// Users need only the part of `address` that `limits` re-exports; `in_place` is for the output of the macros.
#[doc(hidden)]
pub use cm_dsl::{address, in_place};
#[doc(inline)]
pub use cm_dsl::{
    atomic, block_2d, buffer, buffer_view, builtins, cache, elem, hinted, math, media_block_io,
    named_barriers, registers, sampler, slm, slm_view, surface, surface_3d,
};
pub use cm_macros::{Arguments, function, kernel, printf, registers};
#[cfg(feature = "ndarray")]
pub use cm_runtime::PictureDimension;
#[cfg(any(feature = "image", feature = "ndarray"))]
pub use cm_runtime::Sample;
pub use cm_runtime::{
    Buffer, BufferSlice, BufferSliceMut, CpuEngine, Device, Diagnosis, Download, Enqueued, Error, Event,
    Format, FromBufferError, GroupFault, LaunchSpace, LevelZeroError, MaskedThreadSpace, OneByOne,
    PrintfLine, PrintfOutput, Race, Result, Scope, Surface2D, Surface3D, ThreadGroups, ThreadSpace,
    compile_for_parent, diagnose,
};
#[cfg(feature = "image")]
pub use cm_runtime::{Picture, PictureMut, PictureRows, PictureRowsMut};

pub mod guide;

/// Branches separately for each lane of a mask: each arm changes only its lanes of registers. CM: `SIMD_IF_BEGIN`,
/// `SIMD_ELSEIF`, `SIMD_ELSE`, `SIMD_IF_END`.
///
/// ```text
/// simd_if! { mask => { .. } }
/// simd_if! { mask => { .. } else { .. } }
/// simd_if! { mask => { .. } else other_mask => { .. } else { .. } }
/// ```
///
/// A mask is a comparison (`a < b`) or a register of integers with 2, 4, 8, 16 or 32 elements, the lanes. A
/// lane takes an arm if its element is not 0. An arm runs if it has an active lane:
///
/// - Assignments, compound assignments, `.assign` and `.merge` change the active lanes of registers and places
///   with the shape of the mask. A scalar changes once, if a lane is active when the arm or iteration begins.
///   Registers of other shapes are errors, which `cargo check` reports.
/// - `let` declares registers with all their lanes.
/// - `any`, `all`, `math::sum`, `math::reduced_min` and `math::reduced_max` cover the active lanes.
/// - `write_scattered`, `write_scaled`, `write_atomic` and `fetch_atomic`, also with masks, access only the active
///   lanes. Block reads and writes are errors.
/// - `simd_if!` and [`simd_while!`] inside have the same lanes, or one condition for all of them. Ordinary
///   control flow, `return` and `&mut` are errors inside, but allowed around SIMD control flow.
///
/// ```
/// use cm::prelude::*;
///
/// /// Halves the bright texels and brightens the others.
/// #[kernel]
/// fn level(input: &Surface2D, output: &mut Surface2D) {
///     let mut row: Vector<u8, 32> = input.read::<u8, 1, 32>(0, 0).row(0);
///     simd_if! { row > 100 => {
///         row.assign(row / 2);
///     } else {
///         row += 10;
///     } }
///     output.write(0, 0, &row.format::<u8, 1, 32>());
/// }
///
/// let device = Device::cpu()?;
/// let input = Surface2D::from_bytes(&device, Format::R8, 32, 1, &[[200, 50]; 16].concat())?;
/// let mut output = Surface2D::new(&device, Format::R8, 32, 1)?;
/// level::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
/// assert_eq!(output.to_vec()?[..4], [100, 60, 100, 60]);
/// # Ok::<(), cm::Error>(())
/// ```
#[macro_export]
macro_rules! simd_if {
    ($($tokens:tt)*) => {
        ::core::compile_error!("`simd_if!` needs `#[kernel]` or `#[function]` on its function: write the attribute, or `.merge(..)` in plain Rust")
    };
}

/// A loop that each lane of a mask leaves separately. CM: `SIMD_DO_WHILE_BEGIN`, `SIMD_DO_WHILE_END`,
/// `SIMD_BREAK`, `SIMD_CONTINUE`.
///
/// ```text
/// simd_while! { mask => { .. } }
/// ```
///
/// The mask is computed before each iteration. Lanes whose element is 0 leave the loop; the loop ends when no
/// lane is left. `break` and `continue` apply to the active lanes. They are allowed in the body and in a [`simd_if!`]
/// inside it. The rules for statements are those of [`simd_if!`].
///
/// CM's loop tests after each iteration. For its result start with a mask of ones, and compute it at the end of the
/// body and before each `continue`:
///
/// ```
/// use cm::prelude::*;
///
/// /// The rounds of SIMD_DO_WHILE_BEGIN { n -= 1; } SIMD_DO_WHILE_END(n > 0): at least one.
/// #[function]
/// fn rounds(mut n: Vector<i32, 4>) -> Vector<i32, 4> {
///     let mut count = Vector::<i32, 4>::splat(0);
///     let mut again = Vector::<u16, 4>::splat(1);
///     simd_while! { again => {
///         n -= 1;
///         count += 1;
///         again = n > 0;
///     } }
///     count
/// }
///
/// assert_eq!(rounds(Vector::from_array([-1, 0, 1, 3])).to_array(), [1, 1, 1, 3]);
/// ```
///
/// A loop that tests first:
///
/// ```
/// use cm::prelude::*;
///
/// /// The number of halvings until nothing is left, at most 6.
/// #[kernel]
/// fn halvings(input: &Surface2D, output: &mut Surface2D) {
///     let mut row: Vector<u8, 32> = input.read::<u8, 1, 32>(0, 0).row(0);
///     let mut count = Vector::<u8, 32>::splat(0);
///     simd_while! { row > 0 => {
///         row >>= 1;
///         count += 1;
///         simd_if! { count == 6 => { break; } }
///     } }
///     output.write(0, 0, &count.format::<u8, 1, 32>());
/// }
///
/// let device = Device::cpu()?;
/// let input = Surface2D::from_bytes(&device, Format::R8, 32, 1, &[[0, 1, 7, 255]; 8].concat())?;
/// let mut output = Surface2D::new(&device, Format::R8, 32, 1)?;
/// halvings::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output)?;
/// assert_eq!(output.to_vec()?[..4], [0, 1, 3, 6]);
/// # Ok::<(), cm::Error>(())
/// ```
#[macro_export]
macro_rules! simd_while {
    ($($tokens:tt)*) => {
        ::core::compile_error!("`simd_while!` needs `#[kernel]` or `#[function]` on its function: write the attribute, or `.merge(..)` in plain Rust")
    };
}

/// The limits of the hardware as trait bounds, and the rules for offsets.
pub mod limits {
    #[doc(inline)]
    pub use cm_dsl::address::{ByteOffset, Coordinate, DwordColumn, ElementBase, WriteColumn};
    #[doc(inline)]
    pub use cm_dsl::limits::*;
    #[doc(inline)]
    pub use cm_dsl::registers::{
        BarrierNumber, ColumnOffset, Counts, ElementColumn, ElementOffset, ElementRow, FormatVector, Limit,
        Lit, Offset, Position, Repeated, ReplicateElement, RowOffset, SelectOffset, Times, VectorLen,
    };
}

/// The channel masks of untyped accesses, such as [`read_untyped`](buffer::LinearBuffer::read_untyped), of typed accesses
/// and of samples: red is bit 0, green bit 1, blue bit 2 and alpha bit 3. CM: `CM_R` to `CM_ABGR`, or `CM_R_ENABLE` to `CM_ABGR_ENABLE`.
pub mod channels {
    #[doc(inline)]
    pub use cm_dsl::limits::{
        CM_A, CM_AB, CM_ABG, CM_ABGR, CM_ABR, CM_AG, CM_AGR, CM_AR, CM_B, CM_BG, CM_BGR, CM_BR, CM_G, CM_GR,
        CM_R,
    };
}

/// The names that the source of a kernel needs: `use cm::prelude::*;`.
///
/// The prelude has no one-parameter `Result`, so that your own `Result` keeps its meaning; write `cm::Result<T>`.
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::builtins::{
        clock, group_count, group_id, linear_global_id, linear_global_size, linear_group_count,
        linear_group_id, linear_local_id, linear_local_size, local_id, local_size, rdtsc, thread_origin_x,
        thread_origin_y,
    };
    #[doc(no_inline)]
    pub use crate::elem::{Elem, Int, Numeric, bf16, f16, tf32};
    #[doc(no_inline)]
    pub use crate::named_barriers::{BarrierRole, NamedBarriers, named_barriers, named_barriers_any};
    #[doc(no_inline)]
    pub use crate::registers::{Matrix, Scalar, Vector};
    #[doc(no_inline)]
    pub use crate::sampler::Sampler;
    #[doc(no_inline)]
    pub use crate::slm::{Slm, barrier, fence, signal, slm, wait};
    #[doc(no_inline)]
    pub use crate::{Arguments, atomic, function, kernel, math, printf, simd_if, simd_while};
    // The module of this name is not part of it.
    #[doc(no_inline)]
    pub use crate::{
        Buffer, DependencyPattern, Device, Event, Format, Plane, Surface2D, Surface3D, Target, ThreadGroups,
        ThreadSpace,
    };
    pub use cm_macros::registers;
}

#[doc = include_str!("guide/links.md")]
#[doc = include_str!("../docs/book/src/subgroups.md")]
pub mod subgroups {
    #[doc(inline)]
    pub use cm_dsl::subgroups::*;
}

/// The items that the output of the macros names. Not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use cm_compiler::ir::Function;
    #[doc(inline)]
    pub use cm_compiler::ir::{DependencyError, DependencyPattern};
    pub use cm_dsl::backend::{Backend, Operand, Staged, Stages, Storage, Stored};
    pub use cm_dsl::buffer::active_mask;
    pub use cm_dsl::cpu::{Cpu as Plain, INLINED};
    pub use cm_dsl::elem::Elem;
    pub use cm_dsl::in_place::{annotated, convert, convert_vector, reader};
    pub use cm_dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ByValue, Kernel, Param};
    pub use cm_dsl::limits::LitBytes;
    pub use cm_dsl::operators::{
        AtOnce, Compare, Compound, HostCompare, InnerMatrix, InnerVector, LeftOf, Strips, between, beyond,
        compare, compound, compound_in, end_strip, function, inner, left, left_untyped, mask, pending,
        pending_untyped, stack_slot, strip, strips, value,
    };
    pub use cm_dsl::ops;
    pub use cm_dsl::printf::{Printable, Printf};
    pub use cm_dsl::registers::{Lit, Matrix, MatrixView, Scalar, Vector, VectorView, ordered, views};
    pub use cm_dsl::stage::{
        CastTo, ChangedIn, Compared, Declared, DeclaredIn, Enters, HostCast, HostChoice, HostIndex,
        HostMatched, LaneMask, Listed, Masks, Matched, Named, NoBackend, OfAll, OfLanes, On, OnBackends,
        Open, PassedOn, Same, Settled, ShowsBackend, Slot, Untouched, and, bound_from, bound_like, branch,
        called, cast, cast_host, changes, chosen, combined, decided, element, element_value, end_scope,
        endless, enter, field, field_result, fold, give_back, host_choice, host_condition, host_matched, is,
        is_below, is_from, is_to, leave, lend, listed, literal_operand, load, mark, matched, named,
        number_of_others, of_table, or, own_function, part, passed, range, range_back, range_back_by,
        range_by, range_inclusive, scope, shows_backend, simd_all, simd_any, simd_either, simd_held,
        simd_keep, simd_keep_place, simd_lanes, simd_lanes_any, simd_lanes_in, simd_largest, simd_least,
        simd_loop, simd_none, simd_others, simd_read, simd_some, simd_summed, simd_without, stage, store,
        touch, unreached, unrolled, variable, while_loop,
    };
    pub use cm_runtime::{Args, LaunchArg, LaunchArgs, enqueue, launch, recording};
}

/// The program in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
