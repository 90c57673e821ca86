//! A surface takes every element type, so the conversion must name one.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    output.write(0, 0, &(m * 2).convert());
    output.write(0, 0, &m);
}

fn main() {}
