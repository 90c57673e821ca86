//! A matrix takes a vector of rows and one of columns.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let index = Vector::<u16, 8>::splat(3);
    output.write(0, 0, &m.iselect(index));
}

fn main() {}
