//! The right side of `+=` has the shape of the left.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut sum: Matrix<i32, 8, 24> = Matrix::<i32, 8, 24>::splat(0);
    sum += m;
    output.write(0, 0, &sum.convert::<u8>());
}

fn main() {}
