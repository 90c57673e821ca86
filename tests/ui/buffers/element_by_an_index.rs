//! A buffer is read by blocks, or by scattered reads.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let x = input[0];
    output.write(0, &Vector::<i32, 4>::splat(x));
}


fn main() {}
