//! A packed block has rows of whole dwords in memory.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f16>, y: &mut Buffer<f16>) {
    y.store_2d(64, 8, 64, 0, 0, &x.load_2d_vnni::<8, 2>(64, 16, 64, 0, 0));
}

fn main() {}
