//! An object is smaller than the register file, so 32 x 32 floats do not fit.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m: Matrix<f32, 32, 32> = Matrix::<u8, 32, 32>::splat(0).convert();
    output.write(0, 0, &m.row(0).select::<16, 1>(0));
}

fn main() {}
