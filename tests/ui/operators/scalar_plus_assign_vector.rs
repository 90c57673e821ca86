//! A scalar does not become a vector.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut sum = 0u32;
    sum += v;
    output.write(0, 0, &v);
}

fn main() {}
