//! The macros make an argument of a launch of each parameter, before rustc knows which ones a `#[cfg]` leaves out.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>, #[cfg(test)] n: i32, m: i32) {
    output.write(0, &Vector::<i32, 4>::splat(m));
}

#[function]
fn sum(v: Vector<i32, 4>, #[cfg(test)] (a, b): (i32, i32)) -> Vector<i32, 4> {
    v
}

fn main() {}
