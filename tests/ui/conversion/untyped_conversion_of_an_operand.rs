//! Operators take any element type, so the conversion must name one.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let sum: Matrix<u8, 4, 32> = (m + m.convert()).convert();
    output.write(0, 0, &sum);
}

fn main() {}
