//! The vector could have any number of elements.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u32>, output: &mut Buffer<u32>) {
    let v = input.read(0);
    let next = input.read_dwaligned(4) + 1;
    let all = input.read_linear(0);
    output.write(0, &v.select::<4, 1>(0));
}

fn main() {}
