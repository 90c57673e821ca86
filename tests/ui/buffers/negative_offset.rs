//! There is nothing before the first byte.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, &x.read::<16>(-16));
}

fn main() {}
