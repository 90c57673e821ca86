//! Scattered elements are not converted implicitly.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<i16>) {
    let v = x.read::<16>(0);
    y.write_scattered(0, &v, &v);
}

fn main() {}
