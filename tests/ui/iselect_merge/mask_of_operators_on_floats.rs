//! A mask is made of integers, also where an operator makes it.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<f32>) {
    let mut v = Vector::<f32, 8>::splat(1.0f32);
    v.merge(0.0f32, v * 2.0f32);
    output.write(0, &v);
}

fn main() {}
