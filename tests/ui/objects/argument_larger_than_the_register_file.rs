//! A uniform argument is an object as well.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D, tile: Matrix<f32, 32, 64>) {
    output.write(0, 0, &tile.row(0).select::<16, 1>(0));
}

fn main() {}
