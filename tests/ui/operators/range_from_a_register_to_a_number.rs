//! A range has bounds of one shape.

use cm::prelude::*;

#[kernel]
fn k(input: &Buffer<i32>, output: &mut Buffer<u16>, n: i32) {
    let v = input.read::<8>(0);
    output.write(0, &(v..9).contains(&n));
}

fn main() {}
