//! An access names its surface when the kernel is recorded, so only host numbers index an array of surfaces.

use cm::prelude::*;

#[kernel]
fn k(a: &Surface2D, b: &Surface2D, output: &mut Surface2D, n: u32) {
    let surfaces = [a, b];
    output.write(0, 0, &surfaces[n].read::<u8, 4, 16>(0, 0));
}

fn main() {}
