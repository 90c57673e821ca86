//! Offsets of elements are integers.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    let at = x.read::<16>(0);
    y.write(0, &x.read_scattered(0.5, &at));
}

fn main() {}
