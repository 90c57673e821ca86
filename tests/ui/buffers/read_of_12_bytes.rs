//! An oword block has at least 16 bytes.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<f32>, y: &mut Buffer<f32>) {
    let v = x.read::<3>(0);
    y.write_scattered(0, &Vector::<u8, 1>::splat(0), &v.select::<1, 1>(0));
}

fn main() {}
