//! A region has no more columns than the matrix.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.select::<4, 1, 36, 1>(0, 0));
}

fn main() {}
