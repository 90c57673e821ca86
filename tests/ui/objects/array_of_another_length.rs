//! `from_array` takes an array with as many elements as the vector.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let weights: Vector<f32, 4> = Vector::from_array([0.25f32, 0.5, 0.25]);
    output.write(0, 0, &weights);
}

fn main() {}
