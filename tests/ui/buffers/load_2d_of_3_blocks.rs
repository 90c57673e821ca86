//! 1, 2 or 4 blocks are loaded at once.

use cm::block_2d::Plain;
use cm::cache::Cached;
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u16>, y: &mut Buffer<u16>) {
    y.store_2d(64, 4, 64, 0, 0, &x.load_2d_as::<6, 8, Plain<3>, Cached, Cached>(64, 4, 64, 0, 0));
}

fn main() {}
