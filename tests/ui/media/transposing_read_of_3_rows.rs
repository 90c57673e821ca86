//! A transposing read has 1, 2, 4 or 8 rows.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read_transpose::<u32, 3, 8>(0, 0);
    output.write(0, 0, &m);
}

fn main() {}
