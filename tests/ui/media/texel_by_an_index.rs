//! A surface is read by blocks.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let x = input[0];
    output.write(0, 0, &Vector::<u8, 16>::splat(x));
}


fn main() {}
