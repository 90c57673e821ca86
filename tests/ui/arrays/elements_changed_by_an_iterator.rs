//! The elements of an array are changed by a `for` loop.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let mut lines = [Vector::<i32, 8>::splat(0); 4];
    lines.iter_mut().for_each(|line| *line += 1);
    output.write(0, &lines[0]);
}


fn main() {}
