//! Two numbers of a tuple have one name.

use cm::prelude::*;

#[kernel]
fn k(a: i32, b: i32, output: &mut Buffer<i32>) {
    let x: i32 = match (a, b) {
        (n, n) if n > 3 => n,
        (0, _) => 2,
        _ => 1,
    };
    output.write(0, &Vector::<i32, 4>::splat(x));
}

fn main() {}
