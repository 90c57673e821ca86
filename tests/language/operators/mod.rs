//! Every operator, conversion and view of registers in plain Rust, lane by lane, against its meaning.
//!
//! The meaning is implemented again here, on `i128` and `f64`, from the description of the language
//! (`operators/meaning.rs`); no library function computes an expected value.
#![expect(
    clippy::op_ref,
    clippy::needless_borrows_for_generic_args,
    reason = "references are operands, sources and masks too, which is tested"
)]
#![expect(clippy::modulo_one, reason = "shapes of one element go through the formulas of all others")]

mod binary;
mod conversion;
mod lanes;
mod masks;
mod meaning;
mod panics;
mod places;
mod views;
