//! A kernel that writes a 3-D surface takes `&mut Surface3D`.

use cm::channels::CM_R;
use cm::prelude::*;

#[kernel]
fn k(x: &Surface3D) {
    let at = Vector::<u32, 8>::splat(0);
    x.write_typed::<CM_R, 1, 8>(&at, &at, &at, &Matrix::<u32, 1, 8>::splat(1));
}

fn main() {}
