//! 24 elements cannot be assigned to a row of 32.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.row_mut(0).assign(m.row(1).select::<24, 1>(0));
    output.write(0, 0, &m);
}

fn main() {}
