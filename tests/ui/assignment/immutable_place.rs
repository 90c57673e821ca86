//! A place is part of a variable.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    m.row_mut(0).assign(0);
    output.write(0, 0, &m);
}

fn main() {}
