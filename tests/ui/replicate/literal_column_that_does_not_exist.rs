//! Offsets in a matrix are a row and a column of it.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.replicate::<2, 4>(0, 32));
}

fn main() {}
