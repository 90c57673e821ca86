//! An annotation does not resize.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let part: Matrix<u8, 6, 24> = m;
    output.write(0, 0, &part);
}

fn main() {}
