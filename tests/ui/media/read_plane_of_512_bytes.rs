//! Blocks of planes have the same limits as other blocks.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read_plane::<u8, 16, 32>(Plane::Uv, 0, 0);
    output.write(0, 0, &m.select::<8, 1, 32, 1>(0, 0));
}

fn main() {}
