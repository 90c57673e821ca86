//! The methods of host numbers take host numbers.

use cm::prelude::*;

const LEAST: u32 = 4;

#[kernel]
fn k(output: &mut Buffer<u32>, n: u32) {
    let most = LEAST.max(n);
    output.write(0, &Vector::<u32, 4>::splat(most));
}

fn main() {}
