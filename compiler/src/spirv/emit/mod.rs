//! The instructions of operations: methods of [`Builder`](super::module::Builder) that emit them.
//!
//! ```text
//! recipe (how each operation is implemented on a target), cache_codes (numbers in messages of the load/store cache)
//!       <- arith, convert, divide <- divide_wide, fields, functions, limited, boolean (arithmetic)
//!       <- rows, long_regions, made_of, picked_columns, selected, transposed <- regions, insertions, formats (regions)
//!       <- buffer <- cached, long_blocks, typed; media, payloads (accesses)
//!       <- control (branches and loops)
//! ```

pub(super) mod arith;
pub(super) mod boolean;
pub(super) mod buffer;
pub(super) mod cache_codes;
pub(super) mod cached;
pub(super) mod control;
pub(super) mod convert;
pub(super) mod divide;
pub(super) mod divide_wide;
pub(super) mod fields;
pub(super) mod formats;
pub(super) mod functions;
pub(super) mod insertions;
pub(super) mod limited;
pub(super) mod long_blocks;
pub(super) mod long_regions;
pub(super) mod made_of;
pub(super) mod media;
pub(super) mod payloads;
pub(super) mod picked_columns;
pub(super) mod recipe;
pub(super) mod regions;
pub(super) mod rows;
pub(super) mod selected;
pub(super) mod transposed;
pub(super) mod typed;
