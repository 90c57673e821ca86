//! Kernels do not know the number of elements of a buffer.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<f32>, output: &mut Buffer<f32>) {
    let last = input.len() - 16;
    output.write(0, &input.read::<16>(0));
}

fn main() {}
