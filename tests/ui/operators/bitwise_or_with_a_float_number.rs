//! A float on the right makes the common type a float.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let g = m | 0.5f32;
    output.write(0, 0, &g.convert::<u8>());
}

fn main() {}
