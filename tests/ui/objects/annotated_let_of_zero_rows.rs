//! A matrix has at least one row.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let none: Matrix<u8, 0, 32> = m.convert();
    output.write(0, 0, &none);
}

fn main() {}
