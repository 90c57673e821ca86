//! A vector is not repeated for every row.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let sum = m + m.row(0);
    output.write(0, 0, &sum.convert::<u8>());
}

fn main() {}
