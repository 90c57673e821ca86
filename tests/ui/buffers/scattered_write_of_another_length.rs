//! A scattered write has one value for each element number.

use cm::prelude::*;

#[kernel]
fn k(x: &Buffer<u32>, y: &mut Buffer<u32>) {
    let v = x.read::<16>(0);
    y.write_scattered(0, &v.select::<8, 1>(0), &v);
}

fn main() {}
