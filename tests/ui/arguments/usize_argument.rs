//! A host size is a const generic.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, n: usize) {
    output.write(n, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
