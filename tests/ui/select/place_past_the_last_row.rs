//! `select_mut` has the same limits as `select`.

use cm::prelude::*;

#[kernel]
fn k(input: &Surface2D, output: &mut Surface2D) {
    let m = input.read::<u8, 8, 32>(0, 0);
    let mut m = m;
    m.select_mut::<9, 1, 24, 1>(0, 0).assign(0);
    output.write(0, 0, &m);
}

fn main() {}
