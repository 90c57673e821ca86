//! Functions are not defined for `bf16`.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<bf16>, output: &mut Buffer<f32>) {
    let x = input.read::<16>(0);
    output.write(0, &math::sqrt(x));
}

fn main() {}
