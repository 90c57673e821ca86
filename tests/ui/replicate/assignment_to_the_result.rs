//! `replicate` gives a value, not a place.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut v = v;
    v.replicate::<1, 8>(0) += 1;
    output.write(0, 0, &v);
}

fn main() {}
