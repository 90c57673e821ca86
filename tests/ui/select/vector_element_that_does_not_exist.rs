//! The elements of a vector of 32 are 0 to 31.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    let mut v = v;
    v.get_mut(32).assign(0);
    output.write(0, 0, &v);
}

fn main() {}
