//! A kernel takes no host memory.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, bytes: &Vec<u8>) {
    output.write(0, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
