//! The limit also applies to type aliases.

use cm::prelude::*;

type Tile = Matrix<i32, 16, 64>;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let tile = Tile::splat(0);
    output.write(0, 0, &tile.row(0).select::<16, 1>(0));
}

fn main() {}
