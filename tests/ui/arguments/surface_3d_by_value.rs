//! A 3-D surface is passed by reference.

use cm::prelude::*;

#[kernel]
fn k(input: Surface3D, output: &mut Buffer<u32>) {
    let at = Vector::<u32, 8>::splat(0);
    output.write(0, &input.read_typed::<u32, CM_R, 1, 8>(&at, &at, &at).row(0));
}

fn main() {}
