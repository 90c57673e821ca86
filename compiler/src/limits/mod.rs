//! The limits of the hardware and of the language, each stated once.
//!
//! A limit is a `const fn` that gives the [`Violation`] of what breaks it. Everything that must know a limit
//! asks here: the verifier, the lowering, and the language, which checks most of them as trait bounds and the
//! rest when a kernel is recorded. The tests of `cm-dsl` hold its bounds to these functions.
//!
//! ```
//! use cm::compiler::limits;
//! assert!(limits::media_block(8, 32).is_ok());
//! let violation = limits::media_block(8, 64).unwrap_err();
//! assert!(violation.to_string().starts_with("a media block of 8 rows of 64 bytes"));
//! ```

mod buffer;
mod media;
mod object;
mod region;
mod start;
mod violation;

pub use buffer::{
    OWORD, OWORD_BLOCK, block_offset, buffer_element, is_atomic, is_scattered, oword_read, oword_write,
    scattered,
};
pub use media::{
    DWORD, MEDIA_BYTES, MEDIA_WIDTH, coordinate, media_block, media_block_io, media_block_io_column,
    media_pitch, media_write, sub_group,
};
pub use object::{
    MASK_BITS, MAX_DEPTH, MAX_ELEMENTS, REGISTER, REGISTER_FILE, REGISTERS, THREAD_SPACE, format, groups,
    object,
};
pub use region::{column, columns, element, elements, reach, region, replicate, row, rows};
pub use start::last_start;
pub use violation::Violation;
