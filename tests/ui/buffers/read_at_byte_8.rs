//! An oword block starts at a multiple of 16 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    y.write(0, &x.read::<8>(8));
}

fn main() {}
