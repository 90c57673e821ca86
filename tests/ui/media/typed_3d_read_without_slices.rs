//! Texels of a 3-D surface have three coordinates.

use cm::channels::CM_R;
use cm::prelude::*;

#[kernel]
fn k(x: &Surface3D, y: &mut Buffer<u32>) {
    let at = Vector::<u32, 8>::splat(0);
    y.write(0, &x.read_typed::<u32, CM_R, 1, 8>(&at, &at).row(0));
}

fn main() {}
