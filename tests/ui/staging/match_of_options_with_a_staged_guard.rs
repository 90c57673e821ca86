//! `Some(n)` is a pattern of host values, which a staged condition cannot guard.

use cm::prelude::*;

#[kernel]
fn k(a: i32, output: &mut Buffer<i32>) {
    let x: i32 = match Some(a) {
        Some(n) if n > 5 => n,
        _ => 5,
    };
    output.write(0, &Vector::<i32, 4>::splat(x));
}

fn main() {}
