//! 8 elements cannot be added to 9.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let sum = v.select::<8, 1>(0) + v.select::<9, 1>(0);
    output.write(0, 0, &sum.convert::<u8>());
}

fn main() {}
