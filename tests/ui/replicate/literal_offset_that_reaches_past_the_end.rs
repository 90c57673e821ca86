//! 4 rows of 8 elements, 8 apart, from element 4 end at element 35.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    output.write(0, 0, &v.replicate::<4, 8, 8>(4));
}

fn main() {}
