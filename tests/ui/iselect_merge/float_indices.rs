//! Indices are integers.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let index = Vector::<f32, 8>::splat(3);
    output.write(0, 0, &v.iselect(index));
}

fn main() {}
