//! Functions have no results of `tf32`.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<f32>, output: &mut Buffer<tf32>) {
    let x = input.read::<16>(0);
    output.write(0, &math::add::<tf32, _>(x, x));
}

fn main() {}
