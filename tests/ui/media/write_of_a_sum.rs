//! The result of an operator is written by reference, too.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Surface2D) {
    let mut m = output.read::<u8, 4, 16>(0, 0);
    m += 1;
    output.write(0, 0, m);
    output.write(0, 4, m + 1);
    output.plane_mut(Plane::Uv).write(0, 0, m.select::<2, 1, 16, 1>(0, 0));
}

fn main() {}
