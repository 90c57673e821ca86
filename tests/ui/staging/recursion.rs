//! A staged condition does not end a recursion.

use cm::prelude::*;

#[function]
fn factorial(n: i32) -> i32 {
    if n < 2 { 1 } else { n * factorial(n - 1) }
}

#[kernel]
fn k(output: &mut Buffer<i32>, n: i32) {
    output.write(0, &Vector::<i32, 4>::splat(factorial(n)));
}

fn main() {}
