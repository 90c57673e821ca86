//! A plane of a read-only surface is read-only.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = output.read::<u8, 4, 16>(0, 0);
    input.write_plane(Plane::Y, 0, 0, &m);
}

fn main() {}
