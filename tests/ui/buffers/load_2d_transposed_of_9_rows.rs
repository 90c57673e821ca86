//! A transposed block has at most 8 rows of dwords.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.store_2d(64, 8, 64, 0, 0, &x.load_2d_transposed::<9, 8>(64, 8, 64, 0, 0).select::<8, 1, 8, 1>(0, 0));
}

fn main() {}
