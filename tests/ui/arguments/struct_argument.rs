//! A kernel takes no structures of the user.

use cm::prelude::*;

struct Point {
    x: u32,
}

#[kernel]
fn k(output: &mut Surface2D, at: Point) {
    output.write(at.x, 0, &Vector::<u8, 4>::splat(0));
}

fn main() {}
