//! An arm that no value reaches is checked, too.

#![deny(unreachable_patterns)]

use cm::prelude::*;

#[kernel]
fn k(a: i32, output: &mut Buffer<i32>) {
    let x: i32 = match a {
        1 => 5,
        _ => 6,
        2 => 7,
    };
    output.write(0, &Vector::<i32, 4>::splat(x));
}

fn main() {}
