//! A vector has at least one element.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = Vector::<f32, 0>::splat(0);
    output.write(0, 0, &v);
}

fn main() {}
