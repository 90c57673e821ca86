//! Numbers that belong together are a vector, longer tables a buffer.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, taps: [i16; 4]) {
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
