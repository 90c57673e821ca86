//! An argument has a name.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, (x, y): (u32, u32)) {
    output.write(x, y, &Vector::<u8, 4>::splat(0));
}

fn main() {}
