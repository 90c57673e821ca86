//! Scattered vectors have elements of 4 or 8 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u16>) {
    y.store_vectors(0, &x.read::<8>(0), &Matrix::<u16, 2, 8>::splat(1));
}

fn main() {}
