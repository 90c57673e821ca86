//! In CM a row is a place. Here it is a value, unless a `_mut` method returns it.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m: Matrix<u8, 8, 32> = input.read(0, 0);
    m.row(0) = 3;
    output.write(0, 0, &m);
}

fn main() {}
