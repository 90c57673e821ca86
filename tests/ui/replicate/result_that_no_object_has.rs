//! The result is an object as well: 512 times 256 bytes do not fit.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let many = m.replicate::<512>();
    output.write(0, 0, &many.select::<32, 1>(0));
}

fn main() {}
