//! Host sizes are not element types: their size depends on the host.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let _sizes = input.read::<usize, 8, 4>(0, 0);
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
