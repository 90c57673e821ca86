//! The element would be chosen while the kernel runs.

use cm::prelude::*;

const TABLE: [[u32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];

#[kernel]
fn k(output: &mut Buffer<u32>, n: u32) {
    let mut sum: u32 = TABLE[1][2];
    for i in 0..n {
        sum += TABLE[0][i];
    }
    output.write(0, &Vector::<u32, 4>::splat(sum));
}

fn main() {}
