//! The macros replace elements and arguments, whose `#[cfg]` would be lost.

use cm::prelude::*;

#[function]
fn sum(a: i32, b: i32) -> i32 {
    a + b
}

#[kernel]
fn k(output: &mut Buffer<i32>, n: i32) {
    let mut a = n;
    a += 1;
    let some = [a, #[cfg(test)] n, a];
    let mut v = Vector::<i32, 4>::splat(sum(some[0], n, #[cfg(test)] a));
    simd_if! {
        (v > 3) => { v = v + [#[cfg(test)] n, a][0]; }
    }
    output.write(0, &v);
}

fn main() {}
