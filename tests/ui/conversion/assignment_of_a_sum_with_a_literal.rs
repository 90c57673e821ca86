//! `=` does not convert the result of an operator.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 4, 32>(0, 0);
    let mut o = m;
    o = o + 1;
    output.write(0, 0, &m);
}

fn main() {}
