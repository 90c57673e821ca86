//! Writes have the same limits as reads.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let sum = Matrix::<i32, 8, 16>::splat(0);
    output.write(0, 0, &sum);
}

fn main() {}
