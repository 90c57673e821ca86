//! Buffers and registers have the same element types.

use cm::prelude::*;

#[kernel]
fn k(_x: &Buffer<bool>) {}

fn main() {}
