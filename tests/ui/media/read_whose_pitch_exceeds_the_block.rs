//! 33 bytes take a pitch of 64, and 5 rows of it are 320 bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 5, 33>(0, 0);
    output.write(0, 0, &m.select::<4, 1, 32, 1>(0, 0));
}

fn main() {}
