//! An atomic operation takes references to vectors, as writes do.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let v = x.read::<16>(0);
    y.write_atomic(atomic::Add(v), &v);
}

fn main() {}
