//! `tf32` has no arithmetic.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<tf32>, output: &mut Buffer<tf32>) {
    let x = input.read::<16>(0);
    output.write(0, &(x + x));
}

fn main() {}
