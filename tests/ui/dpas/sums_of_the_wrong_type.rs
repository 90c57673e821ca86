//! Sums of floats are floats.

use cm::prelude::*;

#[kernel]
fn k() {
    let a = Matrix::<u8, 8, 16>::splat(1).convert::<f16>();
    let b = math::vnni(Matrix::<u8, 16, 8>::splat(1).convert::<f16>());
    let sums = math::dpas(Matrix::<i32, 8, 8>::splat(0), b, a);
}

fn main() {}
