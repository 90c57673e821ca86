//! The result must be smaller than the register file: 8 times 512 bytes do not fit.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = Matrix::<f32, 8, 16>::splat(1);
    let many = m.replicate::<8>();
    output.write(0, 0, &many.select::<16, 1>(0));
}

fn main() {}
