//! An oword block write has 1, 2, 4 or 8 owords.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u8>, y: &mut Buffer<u8>) {
    y.write(0, &x.read::<48>(0));
}

fn main() {}
