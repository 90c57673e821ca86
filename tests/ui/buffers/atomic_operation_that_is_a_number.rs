//! The kind of an atomic operation is a name, not a number.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    y.write_atomic(1, &x.read::<16>(0));
}

fn main() {}
