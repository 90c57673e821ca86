//! Between host numbers, steps are host numbers.

use cm::prelude::*;

#[kernel]
fn k(output: &mut Buffer<i32>, step: i32) {
    let mut sum = Vector::<i32, 4>::splat(0);
    for i in (0..64).step_by(step) {
        sum += i;
    }
    output.write(0, &sum);
}

fn main() {}
