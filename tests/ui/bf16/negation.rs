//! `bf16` has no arithmetic.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<bf16>, output: &mut Buffer<bf16>) {
    let x = input.read::<16>(0);
    output.write(0, &-x);
}

fn main() {}
