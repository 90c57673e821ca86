//! A kernel calls only functions that are known when it is compiled.

use cm::prelude::*;

#[kernel]
fn k(filter: fn(i32) -> i32, output: &mut Buffer<i32>) {
    output.write(0, &Vector::<i32, 4>::splat(filter(1)));
}


fn main() {}
