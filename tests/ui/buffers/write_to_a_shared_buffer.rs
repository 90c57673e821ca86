//! A buffer passed by `&` is read-only.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>) {
    x.write(0, &x.read::<16>(0));
}

fn main() {}
