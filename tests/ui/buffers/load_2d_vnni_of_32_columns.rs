//! A packed block has at most 16 columns in memory.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f16>, y: &mut Buffer<f16>) {
    y.store_2d(64, 8, 64, 0, 0, &x.load_2d_vnni::<8, 64>(64, 16, 64, 0, 0).select::<8, 1, 32, 1>(0, 0));
}

fn main() {}
