//! A kernel takes surfaces, numbers and registers.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, name: String) {
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
