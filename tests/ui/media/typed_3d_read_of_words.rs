//! Typed accesses to 3-D surfaces move channels of a dword.

use cm::channels::CM_R;
use cm::prelude::*;

#[kernel]
fn k(x: &Surface3D, y: &mut Buffer<u16>) {
    let at = Vector::<u32, 8>::splat(0);
    y.write(0, &x.read_typed::<u16, CM_R, 1, 8>(&at, &at, &at).row(0));
}

fn main() {}
