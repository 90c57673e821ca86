//! The alternatives bind different names.

use cm::prelude::*;

#[kernel]
fn k(a: i32, b: i32, output: &mut Buffer<i32>) {
    let x: i32 = match (a, b) {
        (0, n) | (m, 0) => n * 10,
        _ => 1,
    };
    output.write(0, &Vector::<i32, 4>::splat(x));
}

fn main() {}
