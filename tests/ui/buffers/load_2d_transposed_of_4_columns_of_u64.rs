//! A transposed block of 64 bits has 8 columns.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u64>, y: &mut Buffer<u64>) {
    y.store_2d(64, 8, 64, 0, 0, &x.load_2d_transposed::<4, 4>(64, 8, 64, 0, 0));
}

fn main() {}
