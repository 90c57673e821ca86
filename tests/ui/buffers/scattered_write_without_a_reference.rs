//! Scattered accesses take vectors by reference.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>) {
    let offsets = Vector::from_array([3, 2, 1, 0]);
    output.write_scattered(0, offsets, &offsets);
}

fn main() {}
