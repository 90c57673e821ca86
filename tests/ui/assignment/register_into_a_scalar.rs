//! A number is not a vector.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut sum = 0u32;
    sum = m.row(0);
    output.write(sum, 0, &m);
}

fn main() {}
