//! `.assign` converts elements, but the number of elements must be the same.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut part = v.select::<16, 1>(0);
    part.assign(v);
    output.write(0, 0, &part);
}

fn main() {}
