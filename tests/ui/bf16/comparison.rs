//! `bf16` cannot be compared.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<bf16>, output: &mut Buffer<u16>) {
    let x = input.read::<16>(0);
    output.write(0, &(x < x));
}

fn main() {}
