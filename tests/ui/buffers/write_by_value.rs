//! The written value is passed by reference.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, x.read::<16>(0));
}

fn main() {}
