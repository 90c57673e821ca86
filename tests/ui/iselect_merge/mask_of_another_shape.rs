//! The mask has one element for each element of the object.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut sum: Matrix<u8, 4, 8> = m.select::<4, 1, 8, 1>(0, 0);
    sum.merge(0, &(m > 100));
    output.write(0, 0, &sum);
}

fn main() {}
