//! A loop counts from a number; a register has several.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let first = input.read::<4>(0);
    let mut sum = Vector::<u32, 4>::splat(0);
    for _ in first..8 {
        sum += 1;
    }
    output.write(0, &sum);
}

fn main() {}
