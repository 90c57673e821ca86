//! The rows of an 8 x 32 matrix are 0 to 7.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.row(8));
}

fn main() {}
