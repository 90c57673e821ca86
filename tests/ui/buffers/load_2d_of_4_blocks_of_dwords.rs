//! At most 2 blocks of dwords are loaded at once.

use cm::block_2d::Plain;
use cm::cache::Cached;
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.store_2d(64, 4, 64, 0, 0, &x.load_2d_as::<8, 4, Plain<4>, Cached, Cached>(64, 4, 64, 0, 0));
}

fn main() {}
