//! An object made by `splat` is smaller than the register file.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = Matrix::<u8, 64, 64>::splat(0);
    output.write(0, 0, &m.row(0));
}

fn main() {}
