//! The result of an operator is not converted to the type of a scalar.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let o: u8 = m.get(0, 0) / 2;
    output.write(0, 0, &m);
}

fn main() {}
