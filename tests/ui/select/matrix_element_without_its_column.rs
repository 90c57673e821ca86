//! An element of a matrix has a row and a column.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let first = m.get(0);
    output.write(0, 0, &(m + first).convert::<u8>());
}

fn main() {}
