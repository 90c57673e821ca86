//! An atomic operation takes a power of two of elements.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.write_atomic(atomic::Inc, &x.read::<12>(0));
}

fn main() {}
