//! Blocks that are loaded start at a dword.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.store(0, &x.load::<4>(6));
}

fn main() {}
