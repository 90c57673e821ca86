//! Each row has 32 bytes of factors.

use cm::prelude::*;

#[kernel]
fn k() {
    let a = Matrix::<u8, 8, 64>::splat(1);
    let b = math::vnni(Matrix::<u8, 32, 16>::splat(1));
    let sums = math::dpas(Matrix::<i32, 8, 16>::splat(0), b, a);
}

fn main() {}
