//! A combination of masks is a mask.

use cm::prelude::*;

#[function]
fn count(mask: Vector<u8, 4>) -> i32 {
    math::sum::<i32, _>(mask)
}

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<4>(0);
    output.write(0, &Vector::<i32, 4>::splat(count((v < 3) | (v > 5))));
}

fn main() {}
