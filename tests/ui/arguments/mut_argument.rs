//! Changes to an argument passed by value do not reach the caller.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, mut n: u32) {
    n += 1;
    output.write(n, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
