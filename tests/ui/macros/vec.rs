//! A kernel has no heap.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let weights = vec![1, 2, 1];
    output.write(0, &(input.read::<8>(0) * weights[0]));
}


fn main() {}
