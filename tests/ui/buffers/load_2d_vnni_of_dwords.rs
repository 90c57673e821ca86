//! Dwords cannot be packed.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    y.store_2d(64, 8, 64, 0, 0, &x.load_2d_vnni::<8, 16>(64, 8, 64, 0, 0));
}

fn main() {}
