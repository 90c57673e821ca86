//! A place takes every element type because `assign` converts, so the conversion must name one.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let mut m = input.read::<u8, 4, 32>(0, 0);
    m.row_mut(0).assign((m.row(1) * 2).convert());
    output.write(0, 0, &m);
}

fn main() {}
