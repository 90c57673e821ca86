//! A name for a place is not a variable: `.assign` writes the elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 8, 32>(0, 0);
    let row = m.row_mut(3);
    row = m.row(0);
    output.write(0, 0, &m);
}

fn main() {}
