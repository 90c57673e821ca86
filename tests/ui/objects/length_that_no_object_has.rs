//! Lengths above 1024 elements are multiples of 8.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let _v = Vector::<u8, 1500>::splat(0);
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
