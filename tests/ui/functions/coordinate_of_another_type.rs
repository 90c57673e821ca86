//! Coordinates of threads are `u32`, also after an operator with a literal.

use cm::prelude::*;

#[function]
fn doubled(x: i32) -> i32 {
    x * 2
}

#[kernel]
fn k(output: &mut Surface2D, n: u32) {
    let x = doubled(thread_origin_x() * 8);
    let y = doubled(n + 1);
    output.write(x, y, &Matrix::<u8, 4, 16>::splat(0));
}

fn main() {}
