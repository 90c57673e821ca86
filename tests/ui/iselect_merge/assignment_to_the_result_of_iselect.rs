//! `iselect` gives a value, not a place.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut v = v;
    let index = Vector::<u16, 8>::splat(3);
    v.iselect(index).assign(0);
    output.write(0, 0, &v);
}

fn main() {}
