//! CM's `v(i)` and `m(i, j)` are methods.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<f32>, output: &mut Buffer<f32>) {
    let weights = input.read::<4>(0);
    let m = Matrix::<f32, 4, 4>::splat(1.0f32);
    let mut sum = weights * m(1, 2);
    sum += weights(3);
    sum(0) = 0;
    output.write(0, &sum);
}

fn main() {}
