//! A return type does not convert.

use cm::prelude::*;

#[function]
fn twice(m: Matrix<u8, 4, 32>) -> Matrix<u8, 4, 32> {
    m * 2
}

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = twice(input.read::<u8, 4, 32>(0, 0));
    output.write(0, 0, &m);
}

fn main() {}
