//! Every operator, conversion and view of registers in plain Rust, lane by lane, against what it means.
//!
//! The meaning is written here a second time, on `i128` and `f64`, from the description of the language
//! (`operators/meaning.rs`); nothing of the library computes an expected value.

#[path = "operators/binary.rs"]
mod binary;
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
