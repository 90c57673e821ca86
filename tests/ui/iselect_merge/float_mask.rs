//! A mask has integer elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut v = v;
    let mask = Vector::<f32, 32>::splat(1);
    v.merge(0, &mask);
    output.write(0, 0, &v);
}

fn main() {}
