//! A function without parameters shows whether its result is one of the host.

use cm::prelude::*;

type Size = usize;

#[function]
fn size() -> Size {
    4
}

#[kernel]
fn k(output: &mut Buffer<i32>) {
    output.write(0, &Vector::<i32, 4>::splat(3));
}

fn main() {}
