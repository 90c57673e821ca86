//! (C - 1) * HS + 1 columns are needed, here 34.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.select::<8, 1, 12, 3>(0, 0));
}

fn main() {}
