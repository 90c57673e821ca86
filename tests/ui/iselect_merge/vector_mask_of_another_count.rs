//! A vector mask has as many elements as the matrix.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut part: Matrix<u8, 4, 8> = m.select::<4, 1, 8, 1>(0, 0);
    part.merge(0, &(m.row(0).select::<16, 1>(0) > 100));
    output.write(0, 0, &part);
}

fn main() {}
