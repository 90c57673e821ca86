//! Rows of 33 bytes have a pitch of 64, so 5 rows take 320 bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 5, 33>(0, 0);
    output.write(0, 0, &m.select::<4, 1, 32, 1>(0, 0));
}

fn main() {}
