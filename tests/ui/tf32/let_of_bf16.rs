//! Element types are not converted implicitly, not even storage types.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<bf16>, output: &mut Buffer<tf32>) {
    let x: Vector<tf32, 16> = input.read::<16>(0);
    output.write(0, &x);
}

fn main() {}
