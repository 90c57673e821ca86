//! A kernel is a plain function.

use cm::prelude::*;

#[kernel]
async fn k(input: &Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
}

fn main() {}
