//! Only integers can be shifted.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let f = Matrix::<f32, 8, 8>::splat(1);
    output.write(0, 0, &(f >> 1));
}

fn main() {}
