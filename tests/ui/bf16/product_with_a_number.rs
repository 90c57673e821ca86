//! `bf16` has no arithmetic with numbers.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<bf16>, output: &mut Buffer<f32>) {
    let x = input.read::<16>(0);
    output.write(0, &(x * 2.0f32));
}

fn main() {}
