//! The matrix engine computes 8 or 16 columns.

use cm::prelude::*;

#[kernel]
fn k() {
    let a = Matrix::<u8, 8, 16>::splat(1).convert::<f16>();
    let b = Matrix::<u8, 8, 64>::splat(1).convert::<f16>();
    let sums = math::dpas(Matrix::<f32, 8, 32>::splat(0.0), b, a);
}

fn main() {}
