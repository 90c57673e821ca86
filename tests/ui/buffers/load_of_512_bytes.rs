//! Blocks of 512 bytes have elements of 8 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.store(0, &x.load::<128>(0).select::<2, 1>(0));
}

fn main() {}
