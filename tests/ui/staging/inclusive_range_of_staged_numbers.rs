//! A loop of the kernel ends before its end.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>, n: i32) {
    for i in 0..=n {
        output.write(i * 16, &Vector::<i32, 4>::splat(i));
    }
}

fn main() {}
