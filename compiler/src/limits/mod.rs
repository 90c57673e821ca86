//! The limits of the hardware and of the language, each stated once.
//!
//! A limit is a `const fn` that returns the [`Violation`] of a program that breaks it. All code that needs a limit
//! calls these functions: the verifier, the lowering, and the language, which checks most limits as trait bounds and
//! the rest when a kernel is recorded. The tests of `cm-dsl` check its bounds against these functions.
//!
//! ```
//! use cm::compiler::limits;
//! assert!(limits::media_block(8, 32).is_ok());
//! let violation = limits::media_block(8, 64).unwrap_err();
//! assert!(violation.to_string().starts_with("a media block of 8 rows of 64 bytes"));
//! ```

mod barrier;
mod block_2d;
mod block_form;
mod buffer;
mod dpas;
mod integer;
mod media;
mod numbers;
mod object;
mod pattern;
mod region;
mod shared;
mod start;
mod step;
mod violation;

pub use barrier::{barrier_threads, named_barrier, named_barriers};
pub use block_2d::{column_2d, is_loaded_2d, load_2d, picture, store_2d};
pub use block_form::BlockForm;
pub use buffer::{
    block_offset, buffer_byte, buffer_element, dword_block, is_atomic, is_typed, is_typed_atomic, is_vector,
    oword_read, oword_write, scattered, typed, vectors, whole_owords,
};
pub use dpas::dpas;
pub use integer::{host_number, integer, kept};
pub use media::{
    coordinate, media_block, media_block_io, media_block_io_column, media_write, simd_lanes, sub_group,
    transposed, whole_dwords,
};
pub use numbers::{
    BARRIERS, BLOCK_2D_LOADED_ROWS, BLOCK_2D_STORED_ROWS, BLOCK_2D_WIDTH, DEPENDENCIES, DEPENDENCY_HIGH,
    DEPENDENCY_LOW, DPAS_DEPTH, DWORD, DWORD_BLOCK, GROUP_THREADS, LANES, LARGEST_REGISTER_FILE, MACRO_BLOCK,
    MASK_BITS, MAX_DEPTH, MEDIA_BYTES, MEDIA_WIDTH, OWORD, OWORD_BLOCK, PICTURE_START, QWORD, QWORD_BLOCK,
    REGISTER, REGISTER_FILE, REGISTER_FILES, REGISTERS, SCATTERED_LANES, SHARED_BYTES, THREAD_SPACE,
    VALUE_BYTES, media_pitch,
};
pub use object::{array_element, format, groups, object, register_file, value};
pub use pattern::pattern;
pub use region::{column, columns, element, elements, reach, region, replicate, row, rows};
pub use shared::{shared, shared_elements, shared_end, shared_view};
pub use start::last_start;
pub use step::step;
pub use violation::Violation;
