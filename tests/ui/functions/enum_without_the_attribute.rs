//! An `enum` of a function of kernels has the attribute `#[registers]`.

use cm::prelude::*;

enum Side {
    Left,
    Right,
}

#[function]
fn neighbours(v: Vector<u8, 16>, side: Side) -> Vector<u8, 8> {
    match side {
        Side::Left => v.select::<8, 1>(3),
        Side::Right => v.select::<8, 1>(5),
    }
}

fn main() {}
