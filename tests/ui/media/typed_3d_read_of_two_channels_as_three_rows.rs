//! The rows of a typed read of a 3-D surface are the channels of its mask.

use cm::channels::CM_GR;
use cm::prelude::*;

#[kernel]
fn k(x: &Surface3D, y: &mut Buffer<u32>) {
    let at = Vector::<u32, 8>::splat(0);
    let m = x.read_typed::<u32, CM_GR, 3, 8>(&at, &at, &at);
    y.write(0, &m.row(2));
}

fn main() {}
