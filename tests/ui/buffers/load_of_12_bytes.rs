//! Blocks that are loaded have a power of two of dwords.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.store(0, &x.load::<3>(0).select::<2, 1>(0));
}

fn main() {}
