//! Several 2-D blocks have the same number of rows.

use cm::block_2d::Plain;
use cm::cache::Cached;
use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u16>, y: &mut Buffer<u16>) {
    y.store_2d(64, 4, 64, 0, 0, &x.load_2d_as::<5, 8, Plain<2>, Cached, Cached>(64, 4, 64, 0, 0));
}

fn main() {}
