//! A scattered message at byte offsets also takes a power of two of elements.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u16>, y: &mut Buffer<u16>) {
    let v = x.read::<12>(0);
    y.write_scaled(0, &v, &v);
}

fn main() {}
