//! The columns and rows of texels have at most 32 bits.

use cm::channels::CM_R;
use cm::prelude::*;

#[kernel]
fn k(x: &Surface2D, y: &mut Buffer<u32>) {
    let (u, v) = (Vector::<i64, 8>::splat(0), Vector::<i32, 8>::splat(0));
    y.write(0, &x.read_typed::<u32, CM_R, 1, 8>(&u, &v).row(0));
}

fn main() {}
