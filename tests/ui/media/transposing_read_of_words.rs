//! A transposing read has elements of 4 bytes.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read_transpose::<u16, 4, 8>(0, 0);
    output.write(0, 0, &m);
}

fn main() {}
