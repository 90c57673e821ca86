//! The only argument of the attribute is the path of the crate.

use cm::prelude::*;

#[kernel(width = 32)]
fn k(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
}

fn main() {}
