//! Element types are not converted implicitly.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<f32>, output: &mut Buffer<bf16>) {
    let x: Vector<bf16, 16> = input.read::<16>(0);
    output.write(0, &x);
}

fn main() {}
