//! Atomic operations take elements of 16, 32 or 64 bits.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write_atomic(atomic::Inc, &x.read::<16>(0));
}

fn main() {}
