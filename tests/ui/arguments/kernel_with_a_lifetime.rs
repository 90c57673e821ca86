//! Lifetimes in the signature of a kernel are elided.

use cm::prelude::*;

#[kernel]
fn k<'a>(input: &'a Surface2D, output: &mut Surface2D) {
    output.write(0, 0, &input.read::<u8, 8, 32>(0, 0));
}

fn main() {}
