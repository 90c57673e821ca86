//! Matrices have the same limit in bytes.

use cm::prelude::*;

#[kernel]
fn k(y: &mut Buffer<i16>) {
    y.write(0, &Matrix::<i16, 8, 16>::splat(1));
}

fn main() {}
