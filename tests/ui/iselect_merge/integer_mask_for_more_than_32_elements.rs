//! An integer mask has bits for 32 elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.merge(0, 0b1010);
    output.write(0, 0, &m);
}

fn main() {}
