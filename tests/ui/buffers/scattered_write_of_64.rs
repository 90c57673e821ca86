//! A scattered message takes at most 32 elements.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    let v = x.read::<64>(0);
    y.write_scattered(0, &v, &v);
}

fn main() {}
