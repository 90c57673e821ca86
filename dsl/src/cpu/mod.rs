//! The CPU backend: registers are arrays, and every operation happens when it is called.
//!
//! Outside of kernels this is what registers are. An executor runs kernels on it by giving it an
//! [`Environment`]: surfaces, buffers, and the coordinates of the thread.
//!
//! ```text
//! arrays, window, byte_runs, readable, clock, debug < checked_surface, checked_buffer < environment
//!     < x86, mask_bits, block, buffer, block_2d, untyped, row_steps
//!     < concat, texels < strided < lookup, lanes, regions, place, dpas, reduce < groups, in_place < stack_slot, views
//!     < storage, strips, trees < backend
//! ```
//!
//! What makes it fast was found by measuring and stands at the top of each file: one flat loop over the
//! elements of all threads (`lanes`); what one instruction loads is stored by one (`concat`); blocks of
//! neighbours are found once (`block`) and read where they lie (`window`, `in_place`); parts of rows are
//! shuffled in registers (`strided`, `lookup`, `x86`).
//!
//! Nothing but inlined functions stands on the way of media blocks and operators. Generic functions of the
//! standard library without `#[inline]` (`as_flattened`, `array::map`, `LocalKey::get`) are inlined when the
//! program is linked: until then the compiler neither sees through arrays nor knows that neighbours lie side
//! by side. Operations do not take closures, which stay functions of their own, compiled for the baseline;
//! only around single intrinsics they are inlined in time. What sizes alone exclude is left out by constants,
//! before the compiler optimises: the time it takes grows faster than the code. Special cases are functions of
//! their own: rustc leaves out the code of an `if const` that is false, but visits its blocks and variables for
//! every type.

mod arrays;
mod backend;
mod block;
mod block_2d;
mod buffer;
mod byte_runs;
mod checked_buffer;
mod checked_surface;
mod clock;
mod concat;
mod debug;
mod dpas;
mod environment;
mod groups;
mod in_place;
mod lanes;
mod lookup;
mod mask_bits;
mod place;
mod readable;
mod reduce;
mod regions;
mod row_steps;
mod stack_slot;
mod storage;
mod strided;
mod strips;
mod texels;
mod trees;
mod untyped;
mod views;
mod window;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Whether operations are inlined into kernels: with the condition of the attribute `inlined`. If not, the machine code
/// of a kernel is slower than its recording, even with optimisation.
pub const INLINED: bool = cfg!(not(debug_assertions));

pub use arrays::{Lanes, opaque, opaque_address};
pub use checked_buffer::{BufferAccess, CheckedBuffer, CheckedBytes, Unit};
pub use checked_surface::{BlockRows, CheckedBlock, SurfaceAccess, not_deterministic};
pub use environment::{Avx2, Avx512, Cpu, Detached, Environment, NoSurface, Products};
pub use in_place::InPlace;
pub use place::Place;
pub use readable::{Kept, Memory};
pub use stack_slot::StackSlot;
pub use storage::Converted;
pub use texels::{read_texels, update_texels, write_texels};
pub use untyped::{
    read_block, read_bytes, read_elements, update_elements, write_block, write_bytes, write_elements,
};
pub use window::{LARGEST_READ, MOST_SIDE_BY_SIDE, Scratch, Window};
