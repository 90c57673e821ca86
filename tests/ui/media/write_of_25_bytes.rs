//! A written row is a multiple of 4 bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.select::<6, 1, 25, 1>(0, 0));
}

fn main() {}
