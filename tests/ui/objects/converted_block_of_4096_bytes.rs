//! A converted block is an object, even if the CPU converts only regions of it.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m: Matrix<i32, 16, 64> = input.read_block::<u8, 16, 64>(0, 0).convert();
    output.write(0, 0, &m.select::<4, 1, 8, 1>(0, 0));
}

fn main() {}
