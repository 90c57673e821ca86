//! A matrix of another shape can be assigned if it has as many elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut part = m.select::<2, 1, 8, 1>(0, 0);
    part.assign(m.select::<8, 1, 4, 1>(0, 0));
    output.write(0, 0, &part);
}

fn main() {}
