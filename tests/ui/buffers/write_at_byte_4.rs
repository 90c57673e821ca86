//! A block write starts at a multiple of 16 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    y.write(65540, &x.read::<8>(0));
}

fn main() {}
