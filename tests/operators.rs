//! Every operator, conversion and view of registers in plain Rust, lane by lane, against what it means.
//!
//! The meaning is written here a second time, on `i128` and `f64`, from the description of the language
//! (`operators/meaning.rs`); nothing of the library computes an expected value.
#![expect(
    clippy::op_ref,
    clippy::needless_borrows_for_generic_args,
    reason = "references are operands, sources and masks too, which is tested"
)]
#![expect(clippy::modulo_one, reason = "shapes of one element go through the formulas of all others")]

#[path = "operators/binary.rs"]
mod binary;
#[path = "properties/cases.rs"]
mod cases;
#[path = "operators/conversion.rs"]
mod conversion;
#[path = "operators/lanes.rs"]
mod lanes;
#[path = "operators/masks.rs"]
mod masks;
#[path = "operators/meaning.rs"]
mod meaning;
#[path = "operators/panics.rs"]
mod panics;
#[path = "operators/places.rs"]
mod places;
#[path = "operators/views.rs"]
mod views;
