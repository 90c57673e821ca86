//! A truth value is not a number, even if the result is converted.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let sum: Vector<u8, 32> = (v + true).convert();
    output.write(0, 0, &sum);
}

fn main() {}
