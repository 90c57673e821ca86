//! 3-D surfaces have no media blocks.

use cm::prelude::*;

#[kernel]
fn k(x: &Surface3D, y: &mut Surface2D) {
    y.write(0, 0, &x.read::<u8, 8, 32>(0, 0));
}

fn main() {}
