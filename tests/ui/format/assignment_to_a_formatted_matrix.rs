//! `format` gives a value, not a place.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let mut m = Matrix::<u32, 2, 4>::splat(0);
    m.format::<u8, 4, 8>().assign(1);
    output.write(0, 0, &m);
}

fn main() {}
