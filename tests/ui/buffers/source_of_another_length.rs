//! An atomic operation has one source for each element number.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let v = x.read::<16>(0);
    y.write_atomic(atomic::Add(&v), &v.select::<8, 1>(0));
}

fn main() {}
