//! The elements of an array are registers of their own, so its index is a host number.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D, n: u32) {
    let mut rows = [input.read::<u8, 4, 32>(0, 0); 4];
    rows[n] += 1u8;
    output.write(0, 0, &rows[0]);
}

fn main() {}
