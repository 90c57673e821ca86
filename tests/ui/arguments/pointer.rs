//! Memory is a buffer or a surface.

use cm::prelude::*;

#[kernel]
fn k(input: *const u8, output: &mut Buffer<i32>) {
    output.write(0, &Vector::<i32, 4>::splat(1));
}


fn main() {}
