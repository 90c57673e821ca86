//! A region of a matrix takes a row and a column.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.select::<6, 1, 24, 1>(1));
}

fn main() {}
