//! Facts about the values of a kernel, which passes and instructions ask for. Most say what Intel's compiler makes of a value.
//!
//! ```text
//! numbers <- cases, overwritten, swapped_bytes; defs, counts <- added_sizes; defs <- scalars; known_zeros <- element_offsets
//! hazard, defs <- chosen_constants; hazard, replaced, chosen_constants <- hazards; all others stand alone
//! ```

pub(super) mod added_sizes;
pub(super) mod cached_params;
pub(super) mod cases;
pub(super) mod chosen_constants;
pub(super) mod compare_uses;
pub(super) mod counts;
pub(super) mod defs;
pub(super) mod denormals;
pub(super) mod element_offsets;
pub(super) mod even_steps;
pub(super) mod far_masks;
pub(super) mod hazard;
pub(super) mod hazards;
pub(super) mod kept_parts;
pub(super) mod known_zeros;
pub(super) mod large_objects;
pub(super) mod loop_flags;
pub(super) mod masked_elements;
pub(super) mod moved_bytes;
pub(super) mod numbers;
pub(super) mod odd_shapes;
pub(super) mod overwritten;
pub(super) mod own_masks;
pub(super) mod padded_bytes;
pub(super) mod replaced;
pub(super) mod scalars;
pub(super) mod sharing;
pub(super) mod spills;
pub(super) mod sums;
pub(super) mod swapped_bytes;
pub(super) mod zero_signs;
