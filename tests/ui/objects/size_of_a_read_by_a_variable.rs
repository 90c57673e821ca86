//! The size of a block is a constant.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let count = 8;
    let v = input.read::<count>(0);
    output.write(0, &v);
}


fn main() {}
