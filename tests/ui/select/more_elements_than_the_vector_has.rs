//! (N - 1) * S + 1 elements are needed, here 33.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    output.write(0, 0, &v.select::<17, 2>(0).select::<16, 1>(0));
}

fn main() {}
