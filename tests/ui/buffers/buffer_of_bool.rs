//! Elements of buffers are those of registers.

use cm::prelude::*;

#[kernel]
fn k(_x: &Buffer<bool>) {}

fn main() {}
