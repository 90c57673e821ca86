//! A `bool` is not a number.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let g = m + true;
    output.write(0, 0, &g.convert::<u8>());
}

fn main() {}
