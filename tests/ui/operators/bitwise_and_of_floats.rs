//! Operators cannot access the bits of floats.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let f = Matrix::<f32, 8, 8>::splat(1);
    let g = f & 1;
    output.write(0, 0, &g);
}

fn main() {}
