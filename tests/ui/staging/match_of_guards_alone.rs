//! No arm takes the numbers for which no guard holds.

use cm::prelude::*;

#[kernel]
fn k(a: i32, output: &mut Buffer<i32>) {
    let x: i32 = match a {
        n if n > 5 => n,
        n if n <= 5 => 5,
    };
    output.write(0, &Vector::<i32, 4>::splat(x));
}

fn main() {}
