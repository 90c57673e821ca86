//! A conversion has an element type as its target.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let _flags = m.convert::<bool>();
    output.write(0, 0, &m);
}

fn main() {}
