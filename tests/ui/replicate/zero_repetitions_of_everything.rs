//! The whole object is repeated at least once.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let v = input.read::<u8, 1, 32>(0, 0).row(0);
    output.write(0, 0, &v.replicate::<0>());
}

fn main() {}
