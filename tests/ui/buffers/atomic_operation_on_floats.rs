//! Atomic operations on floats add, subtract, compare and exchange, but do not increment.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<f32>) {
    y.write_atomic(atomic::Inc, &x.read::<16>(0));
}

fn main() {}
