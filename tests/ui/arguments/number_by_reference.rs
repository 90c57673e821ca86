//! A number is passed by value.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, x: &u32) {
    output.write(*x, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
