//! A flag is passed as a number.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, fast: bool) {
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
