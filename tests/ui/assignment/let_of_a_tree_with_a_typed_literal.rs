//! An annotation does not convert, also behind literals with a type.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let scaled = m * 0.111f32 + 3;
    let rounded: Matrix<u8, 8, 32> = scaled;
    output.write(0, 0, &rounded);
}

fn main() {}
