//! A 2-D block has rows of whole dwords.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.store_2d(64, 4, 64, 0, 0, &x.load_2d::<4, 6>(64, 4, 64, 0, 0).select::<4, 1, 4, 1>(0, 0));
}

fn main() {}
