//! The accumulator of a large tile does not fit the register file.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut sum: Matrix<f32, 16, 64> = Matrix::<f32, 16, 64>::splat(0);
    sum += 1;
    output.write(0, 0, &sum.row(0).select::<16, 1>(0));
}

fn main() {}
