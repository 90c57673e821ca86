//! Operators compute in the promoted type, whatever the type of the literal.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let o: Matrix<u8, 4, 32> = m * 2;
    output.write(0, 0, &m);
}

fn main() {}
