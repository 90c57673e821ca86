//! The macros expand a `match` before rustc knows which arms a `#[cfg]` leaves out.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>, n: i32) {
    let mut sum = Vector::<i32, 4>::splat(n);
    match n {
        #[cfg(test)]
        0 => sum += 1,
        1 => sum += 2,
        _ => sum += 3,
    }
    output.write(0, &sum);
}

fn main() {}
