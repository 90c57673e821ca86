//! A row written to a plane is a multiple of 4 bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 25>(0, 0);
    output.write_plane(Plane::Uv, 0, 0, &m);
}

fn main() {}
