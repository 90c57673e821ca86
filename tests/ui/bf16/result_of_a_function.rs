//! Functions have no results of `bf16`.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<f32>, output: &mut Buffer<bf16>) {
    let x = input.read::<16>(0);
    output.write(0, &math::add::<bf16, _>(x, x));
}

fn main() {}
