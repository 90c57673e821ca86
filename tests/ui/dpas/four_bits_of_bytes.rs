//! Packed factors of 4 bits are not bytes.

use cm::prelude::*;

#[kernel]
fn k() {
    let a = Matrix::<u8, 8, 32>::splat(1);
    let b = Matrix::<u8, 8, 64>::splat(1);
    let sums = math::dpas_4bit::<u8, math::U4, _>(Matrix::<i32, 8, 16>::splat(0), b, a);
}

fn main() {}
