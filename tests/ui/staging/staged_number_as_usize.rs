//! `usize` is a type of host numbers. Offsets take staged numbers as they are.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<u32>, output: &mut Buffer<u32>, first: u32) {
    let v = input.read::<16>(0);
    output.write(0, &v.select::<8, 1>(first as usize));
}

fn main() {}
