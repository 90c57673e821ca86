//! A place of a place has the same limits as a place of a register.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.row_mut(0).select_mut::<24, 1>(9).assign(0);
    output.write(0, 0, &m);
}

fn main() {}
