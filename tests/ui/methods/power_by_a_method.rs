//! `math` computes elements: registers and numbers of the kernel have no methods for it.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u32>, output: &mut Buffer<u32>, n: u32) {
    let v = input.read::<16>(0);
    let bits = v.count_ones();
    output.write(0, &(bits * n.pow(2)).convert::<u32>());
}

fn main() {}
