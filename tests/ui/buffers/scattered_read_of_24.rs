//! A scattered message takes a power of two of elements.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    let v = x.read_scattered(0, &x.read::<24>(0));
    y.write(0, &v.select::<16, 1>(0));
}

fn main() {}
