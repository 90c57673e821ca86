//! A buffer is written by blocks, or by scattered writes.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>) {
    output[0] = 3;
}


fn main() {}
