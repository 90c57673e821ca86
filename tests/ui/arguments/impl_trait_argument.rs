//! The type of an argument is named.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, n: impl Elem) {
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
