//! (R - 1) * VS + 1 rows are needed, here 9.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    output.write(0, 0, &m.select::<5, 2, 24, 1>(0, 0));
}

fn main() {}
