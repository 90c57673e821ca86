//! Floats of different formats cannot be multiplied.

use cm::prelude::*;

#[kernel]
fn k() {
    let a = Matrix::<u8, 8, 16>::splat(1).convert::<f16>();
    let b = math::vnni(Matrix::<u8, 16, 16>::splat(1).convert::<bf16>());
    let sums = math::dpas(Matrix::<f32, 8, 16>::splat(0.0), b, a);
}

fn main() {}
