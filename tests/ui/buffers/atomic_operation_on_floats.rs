//! Floats are added, subtracted, compared and exchanged, not counted.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<f32>) {
    y.write_atomic(atomic::Inc, &x.read::<16>(0));
}

fn main() {}
