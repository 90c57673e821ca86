//! Both sides of an operator have the same shape, even if the result is converted.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let sum: Matrix<i16, 4, 32> = (m + m.select::<4, 1, 16, 1>(0, 0)).convert();
    output.write(0, 0, &sum.convert::<u8>());
}

fn main() {}
