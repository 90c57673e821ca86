//! An offset in a matrix is an existing row and an existing column.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.replicate::<2, 4>(0, 32));
}

fn main() {}
