//! A 2-D block that is loaded has at most 32 rows.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.store_2d(64, 4, 64, 0, 0, &x.load_2d::<33, 16>(64, 40, 64, 0, 0).select::<4, 1, 16, 1>(0, 0));
}

fn main() {}
