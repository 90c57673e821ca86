//! A number is not a register: `=` takes registers of the same shape.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>, n: i32) {
    let mut v = input.read::<16>(0);
    simd_if! { v > n => {
        v = n;
    } }
    output.write(0, &v);
}

fn main() {}
