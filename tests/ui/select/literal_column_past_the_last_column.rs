//! 24 columns from column 9 end at column 32 of 32.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.select::<6, 1, 24, 1>(0, 9));
}

fn main() {}
