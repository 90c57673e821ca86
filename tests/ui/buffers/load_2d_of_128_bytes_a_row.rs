//! A 2-D block has rows of at most 64 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    y.store_2d(64, 4, 64, 0, 0, &x.load_2d::<4, 32>(128, 4, 128, 0, 0).select::<4, 1, 16, 1>(0, 0));
}

fn main() {}
