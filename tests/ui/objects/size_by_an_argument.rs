//! The size of a register is a constant.

use cm::prelude::*;

#[kernel]
fn k(n: u32, output: &mut Buffer<i32>) {
    output.write(0, &Vector::<i32, n>::splat(0));
}


fn main() {}
