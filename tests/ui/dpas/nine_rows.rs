//! The matrix engine computes at most 8 rows.

use cm::prelude::*;

#[kernel]
fn k() {
    let a = Matrix::<u8, 9, 32>::splat(1);
    let b = math::vnni(Matrix::<u8, 32, 16>::splat(1));
    let sums = math::dpas(Matrix::<i32, 9, 16>::splat(0), b, a);
}

fn main() {}
