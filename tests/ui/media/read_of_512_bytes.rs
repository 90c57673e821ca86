//! A media block has at most 256 bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 64>(0, 0);
    output.write(0, 0, &m.select::<4, 1, 64, 1>(0, 0));
}

fn main() {}
