//! A row of a media block has at most 64 bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 2, 65>(0, 0);
    output.write(0, 0, &m.select::<2, 1, 64, 1>(0, 0));
}

fn main() {}
