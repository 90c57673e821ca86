//! `%=` is the remainder of integers as well.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut f = Matrix::<f32, 8, 8>::splat(1);
    f %= 2;
    output.write(0, 0, &f);
}

fn main() {}
