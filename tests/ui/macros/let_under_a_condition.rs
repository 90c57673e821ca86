//! The macros expand uses of a name before rustc knows whether a `#[cfg]` leaves out its declaration.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>, n: i32) {
    let mut x = Vector::<i32, 4>::splat(n);
    #[cfg(test)]
    let x = x + 1;
    let old = x;
    #[cfg(test)]
    [n, n];
    output.write(0, &(x + old));
}

fn main() {}
