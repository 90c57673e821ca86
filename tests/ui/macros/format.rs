//! A kernel has no strings.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<i32>) {
    let name = format!("{}", 3);
    output.write(0, &input.read::<8>(0));
}


fn main() {}
