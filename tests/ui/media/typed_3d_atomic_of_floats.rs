//! Atomic operations on texels of 3-D surfaces take integers of 32 bits.

use cm::prelude::*;

#[kernel]
fn k(x: &mut Surface3D) {
    let at = Vector::<u32, 8>::splat(0);
    x.write_typed_atomic::<f32, 8>(atomic::Add(&Vector::<f32, 8>::splat(1)), &at, &at, &at);
}

fn main() {}
