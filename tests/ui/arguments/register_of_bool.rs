//! The elements of an argument are element types.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, flags: Vector<bool, 8>) {
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
