//! The block could have any size and elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read(0, 0);
    let mut sum = Matrix::<u8, 4, 16>::splat(0);
    sum.select_mut::<2, 1, 16, 1>(0, 0).assign(input.read_plane(Plane::Y, 0, 0));
    sum.row_mut(3).assign(input.top_field().read(0, 0).row(0));
    output.write(0, 0, &(m + sum).convert::<u8>());
}

fn main() {}
