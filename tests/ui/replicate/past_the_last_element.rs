//! 4 times 8 elements, 9 apart, need 35 elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    output.write(0, 0, &v.replicate::<4, 9, 8>(0));
}

fn main() {}
