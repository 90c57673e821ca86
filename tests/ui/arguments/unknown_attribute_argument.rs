//! The attribute takes the path of the crate only.

use cm::prelude::*;

#[kernel(width = 32)]
fn k(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
}

fn main() {}
