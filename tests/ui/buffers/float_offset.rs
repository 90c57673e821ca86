//! Offsets are integers.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, &x.read::<16>(16.0));
}

fn main() {}
