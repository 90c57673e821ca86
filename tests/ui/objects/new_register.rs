//! A register is made of its elements.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let m = Matrix::<u8, 8, 32>::new();
    output.write(0, 0, &m);
}


fn main() {}
