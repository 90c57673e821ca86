//! Functions of registers are functions of `math`.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let v = input.read::<8>(0);
    output.write(0, &v.abs());
}


fn main() {}
