//! `format` takes an element type.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let bits = m.format::<bool>();
    output.write(0, 0, &bits.select::<32, 1>(0));
}

fn main() {}
