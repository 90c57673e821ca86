//! A typed access to a 3-D surface takes 1, 2, 4, 8, 16 or 32 texels.

use cm::channels::CM_R;
use cm::prelude::*;

#[kernel]
fn k(x: &mut Surface3D) {
    let at = Vector::<u32, 12>::splat(0);
    x.write_typed::<CM_R, 1, 12>(&at, &at, &at, &Matrix::<u32, 1, 12>::splat(1));
}

fn main() {}
