//! Rows and columns are counted from 0.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.select::<6, 1, 24, 1>(0, -1));
}

fn main() {}
