//! Words cannot be transposed.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u16>, y: &mut Buffer<u16>) {
    y.store_2d(64, 8, 64, 0, 0, &x.load_2d_transposed::<8, 8>(64, 8, 64, 0, 0));
}

fn main() {}
