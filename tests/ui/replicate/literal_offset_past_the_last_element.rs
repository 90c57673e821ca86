//! Two elements from element 31 end at element 32 of 32.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    output.write(0, 0, &v.replicate::<4, 2>(31));
}

fn main() {}
