//! A kernel that takes a 3-D surface is launched with one.

use cm::channels::CM_R;
use cm::prelude::*;

#[kernel]
fn k(x: &mut Surface3D) {
    let at = Vector::<u32, 8>::splat(0);
    x.write_typed::<CM_R, 1, 8>(&at, &at, &at, &Matrix::<u32, 1, 8>::splat(1));
}

fn main() {
    let device = Device::cpu().unwrap();
    let mut picture = Surface2D::new(&device, Format::R8, 8, 8).unwrap();
    k::launch(&device, ThreadSpace::new(1, 1).unwrap(), &mut picture).unwrap();
}
