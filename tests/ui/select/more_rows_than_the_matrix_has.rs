//! A region has no more rows than the matrix.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let sum = m.select::<9, 1, 24, 1>(0, 0) + 1;
    output.write(0, 0, &sum.select::<6, 1, 24, 1>(0, 0).convert::<u8>());
}

fn main() {}
