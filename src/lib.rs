//! C for Metal in Rust: media kernels in the style of Intel's CM, checked by `cargo check` against the limits
//! of the hardware, and run over all cores of any machine.
//!
//! One kernel thread owns whole matrices and vectors in registers, reads and writes two-dimensional blocks of
//! surfaces, and works on regions of them.
//!
//! [`prelude`] has what a kernel's source needs. Kernels are declared with [`kernel`](macro@kernel), their
//! helpers with [`function`](macro@function); [`Matrix`](registers::Matrix) and [`Vector`](registers::Vector)
//! are the registers, in kernels and in plain Rust:
//!
//! ```
//! use cm::prelude::*;
//!
//! /// Adds the same value to every texel of a 4 x 16 block, saturating.
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
//! // The helper is plain Rust too, so it can be tested without a device.
//! assert_eq!(brighten(Matrix::<u8, 4, 16>::splat(250), 10).to_array(), [[255; 16]; 4]);
//!
//! let device = Device::cpu()?;
//! let input = Surface2D::from_bytes(&device, Format::R8, 16, 4, &[250; 64])?;
//! let mut output = Surface2D::new(&device, Format::R8, 16, 4)?;
//! brighten_all::launch(&device, ThreadSpace::new(1, 1)?, &input, &mut output, 10)?;
//! assert_eq!(output.to_vec()?, [255; 64]);
//! # Ok::<(), cm::Error>(())
//! ```
//!
//! [`stages`] follows one kernel from its source to machine code. Kernels of OpenCL sub-groups are ported
//! line by line: [`subgroups`] has the built-ins of cl_intel_subgroups, [`media_block_io`] the media block
//! reads and writes, and [`media_block_io_port`] a port.
//!
//! # For CM programmers
//!
//! | CM | here |
//! |---|---|
//! | `matrix<uchar, 8, 32>`, `vector<short, 24>` | `Matrix<u8, 8, 32>`, `Vector<i16, 24>` |
//! | `matrix_ref`, `vector_ref` | what the `_mut` methods give |
//! | `m.select<6,1,24,1>(0,3)`, `m.row(i)`, `m.column(j)` | the same, with `::<..>`; values. `select_mut`, `row_mut`, `column_mut` to write |
//! | `v(i)`, `m(i, j)` | `v.get(i)`, `m.get(i, j)`; `get_mut` to write |
//! | `x.format<uint>()`, `x.format<uint, 8, 8>()` | the same in kernels; `format_matrix` for the second in plain Rust |
//! | `x.replicate<..>(..)` | the same in kernels; `replicate`, `replicate_w`, `replicate_vs_w`, `replicate_vs_w_hs` in plain Rust |
//! | `m = e` of another element type | `m.assign(e)`, or `let m: Matrix<..> = e.convert()` |
//! | `vector<uchar, 8>(x, SAT)` | `x.saturate::<u8>()` |
//! | `cm_sad2<ushort>(a, b)`, `cm_dp4<float>(a, b)` | `math::sad2::<u16, _>(a, b)`, `math::dp4::<f32, _>(a, b)` |
//! | `dst.merge(x, mask)`, `dst.merge(x, y, mask)` | `dst.merge(x, &mask)`, `dst.merge_else(x, y, &mask)` |
//! | `read(ibuf, x, y, m)`, `write(obuf, x, y, m)` | `let m = ibuf.read::<u8, 8, 32>(x, y)`, `obuf.write(x, y, &m)` |
//! | `read(buf, offset, v)`, `read(DWALIGNED(buf), offset, v)` | `let v = buf.read::<16>(offset)`, `buf.read_dwaligned::<16>(offset)`; bytes |
//! | `write(buf, offset, v)` | `buf.write(offset, &v)`; bytes |
//! | `read(buf, base, offsets, v)`, `write(buf, base, offsets, v)` | `let v = buf.read_scattered(base, &offsets)`, `buf.write_scattered(base, &offsets, &v)`; elements |
//! | `write_atomic<ATOMIC_ADD>(buf, offsets, x)` | `buf.write_atomic(atomic::Add(&x), &offsets)`; elements |
//! | `write_atomic<ATOMIC_CMPXCHG>(buf, offsets, x, compare, old)` | `let old = buf.fetch_atomic(atomic::CmpXchg(&x, &compare), &offsets)` |
//! | `get_thread_origin_x()` | `thread_origin_x()` |
//! | `_GENX_MAIN_`, `_GENX_` | `#[kernel]`, `#[function]` |
//! | `~x` | `!x` |
//! | `#pragma unroll` | `for` over host numbers unrolls; over a staged bound it is a loop |

pub use cm_compiler as compiler;
pub use cm_compiler::pressure::RegisterReport;
pub use cm_compiler::spirv::{self, Target};
#[doc(inline)]
pub use cm_compiler::{interpret, ir, text, verify};
pub use cm_dsl as dsl;
#[doc(inline)]
pub use cm_dsl::{
    address, atomic, buffer, builtins, elem, in_place, math, media_block_io, registers, surface,
};
pub use cm_macros::{function, kernel};
pub use cm_runtime::{
    Buffer, Device, Diagnosis, Error, Event, Format, LevelZeroError, Result, Scope, Surface2D, ThreadSpace,
    diagnose,
};

/// The limits of the hardware as trait bounds, and what offsets must respect.
pub mod limits {
    #[doc(inline)]
    pub use cm_dsl::address::{ByteOffset, Coordinate, DwordColumn, ElementBase, WriteColumn};
    #[doc(inline)]
    pub use cm_dsl::limits::*;
    #[doc(inline)]
    pub use cm_dsl::registers::{
        ColumnOffset, Counts, ElementColumn, ElementOffset, ElementRow, Format, Limit, Lit, Offset, Position,
        Repeated, ReplicateElement, RowOffset, SelectOffset, Times, VectorLen,
    };
}

/// What a kernel's source needs. There is no one-parameter `Result` in it.
pub mod prelude {
    pub use cm_compiler::spirv::Target;
    pub use cm_dsl::atomic;
    pub use cm_dsl::builtins::{thread_origin_x, thread_origin_y};
    pub use cm_dsl::elem::{Elem, Int, f16};
    pub use cm_dsl::math;
    pub use cm_dsl::registers::{Matrix, Scalar, Vector};
    pub use cm_macros::{function, kernel};
    pub use cm_runtime::{Buffer, Device, Event, Format, Surface2D, ThreadSpace};
}

#[doc = include_str!("../docs/stages.md")]
pub mod stages {}

#[doc = include_str!("../docs/subgroups.md")]
pub mod subgroups {
    #[doc(inline)]
    pub use cm_dsl::subgroups::*;
}

#[doc = include_str!("../docs/media-block-io.md")]
pub mod media_block_io_port {}

/// What the macros' output names. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use cm_compiler::ir::Function;
    pub use cm_dsl::backend::{Backend, Staged};
    pub use cm_dsl::in_place::Reader;
    pub use cm_dsl::kernel::{ArgSource, Argument, ByReference, ByValue, Kernel, Param};
    pub use cm_dsl::limits::LitBytes;
    pub use cm_dsl::operators::{compare, left, pending};
    pub use cm_dsl::ops;
    pub use cm_dsl::registers::{Lit, ordered};
    pub use cm_dsl::stage::{
        Declared, Enters, Open, Settled, Slot, and, branch, cast, enter, load, mark, or, range,
        range_inclusive, stage, store, touch, variable, while_loop,
    };
    pub use cm_runtime::{LaunchArg, enqueue, launch, recording};
}

/// The program in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
